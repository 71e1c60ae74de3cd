package pty

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS

	raisesOutput = unix.OLCUC
	lowersInput  = unix.IUCLC
)

// openPair opens a terminal: the master as a non-blocking file outside Go's poller, which would be
// woken for each byte that the program reads, and the other side. See pts(4). creack/pty's Open
// passes the address of a variable to the kernel as a number: if the garbage collector moves the
// stack meanwhile, the terminal's number is lost and /dev/pts/0, which may belong to another
// process, is opened instead.
func openPair() (master, tty *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, &os.PathError{Op: "open", Path: "/dev/ptmx", Err: err}
	}
	file := os.NewFile(uintptr(fd), "/dev/ptmx") // still blocking: the poller does not get it
	defer func() {
		if err != nil {
			_ = file.Close() // nothing was written to it
		}
	}()
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, nil, os.NewSyscallError("make it non-blocking", err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, os.NewSyscallError("unlock it", err)
	}
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, os.NewSyscallError("ask for its number", err)
	}
	tty, err = os.OpenFile("/dev/pts/"+strconv.FormatUint(uint64(number), 10), os.O_RDWR|unix.O_NOCTTY, 0)
	return file, tty, err
}

func writeSome(fd int, b []byte) (int, error) { return unix.Write(fd, b) }

// awaitExit returns when the process has ended, and does not reap it.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// dropInput uses the program's side of the terminal: on the master, TCFLSH keeps what waits to be read.
func (d *device) dropInput() error {
	return d.control(func(fd int) error {
		tty, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
		if errno != 0 {
			return os.NewSyscallError("open the program's side", errno)
		}
		err := unix.IoctlSetInt(int(tty), unix.TCFLSH, unix.TCIFLUSH)
		return errors.Join(os.NewSyscallError("discard input", err), unix.Close(int(tty)))
	})
}

// watchReads uses inotify(7), which reports the reads of the program's side of the terminal that return something.
func watchReads(name string) (*ReadWatch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := &ReadWatch{fd}
	if _, err := unix.InotifyAddWatch(fd, name, unix.IN_ACCESS); err != nil {
		return nil, errors.Join(&os.PathError{Op: "inotify_add_watch", Path: name, Err: err}, w.Close())
	}
	return w, nil
}

func (w *ReadWatch) seen() (read bool) {
	var events [4096]byte
	for {
		n, err := unix.Read(w.fd, events[:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n <= 0: // EAGAIN: there are no more
			return read
		}
		read = true
	}
}

func (w *ReadWatch) close() error { return os.NewSyscallError("close", unix.Close(w.fd)) }

// signalForeground makes the kernel signal the foreground group, so that a later group
// with the same number is never hit. The kernel does so for SIGINT, SIGQUIT and SIGTSTP
// only (TIOCSIG, drivers/tty/pty.c).
func (d *device) signalForeground(sig syscall.Signal) error {
	return d.control(func(fd int) error { return unix.IoctlSetInt(fd, unix.TIOCSIG, int(sig)) })
}
