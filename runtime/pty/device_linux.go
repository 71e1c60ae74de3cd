package pty

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// duplicate is the master as a non-blocking file outside Go's poller, which would
// be woken for each byte that the program reads. creack/pty's own file blocks.
func duplicate(blocking *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate it: %w", err)
	}
	file := os.NewFile(uintptr(fd), "/dev/ptmx") // still blocking: the poller does not get it
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = file.Close() // nothing was written to it
		return nil, fmt.Errorf("make it non-blocking: %w", err)
	}
	return file, nil
}

func writeSome(fd int, b []byte) (int, error) { return unix.Write(fd, b) }

// awaitExit returns when the process has ended, and leaves it to be reaped.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// signalForeground lets the kernel signal whoever is in the foreground, which
// cannot hit a later group with the same number. It does so for SIGINT, SIGQUIT
// and SIGTSTP only (TIOCSIG, drivers/tty/pty.c).
func (d *device) signalForeground(sig syscall.Signal) error {
	return d.control(func(fd int) error { return unix.IoctlSetInt(fd, unix.TIOCSIG, int(sig)) })
}
