//go:build linux || darwin

package pty

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// device is the master side of the terminal.
type device struct {
	file *os.File
	raw  syscall.RawConn
	name string // path of the other side, "/dev/pts/3"
	reader

	use     sync.RWMutex // fd is open while it is held and retired is false
	fd      int
	retired bool
	given   Modes // at the start

	// State of the running write; the function is bound once so that a write allocates nothing.
	wmu     sync.Mutex
	wbuf    []byte
	wn      int
	werr    error
	writeFn func(fd uintptr)
}

func startDevice(c Command) (*device, *os.Process, error) {
	d, tty, err := open(c)
	if err != nil {
		return nil, nil, err
	}
	defer tty.Close() // the program has its own
	leader, err := startProcess(c, tty)
	if err != nil {
		_ = d.close() // the start's error is the one that matters
		return nil, nil, fmt.Errorf("starting on a pseudo-terminal: %w", err)
	}
	return d, leader, nil
}

// open creates a terminal with the size and modes set.
func open(c Command) (d *device, tty *os.File, err error) {
	master, tty, err := openPair()
	if err != nil {
		return nil, nil, fmt.Errorf("opening a pseudo-terminal: %w", err)
	}
	d = &device{file: master, name: tty.Name()}
	if err := d.prepare(tty, c); err != nil {
		_ = tty.Close() // nothing was written to it
		return nil, nil, fmt.Errorf("preparing a pseudo-terminal: %w", err)
	}
	return d, tty, nil
}

func (d *device) prepare(tty *os.File, c Command) (err error) {
	if d.raw, err = d.file.SyscallConn(); err == nil {
		err = errors.Join(d.raw.Control(func(fd uintptr) { d.fd = int(fd) }))
	}
	if err == nil {
		err = d.reader.open(d.fd)
	}
	if err != nil {
		_ = d.file.Close() // the first error is the one that matters
		return err
	}
	d.writeFn = d.writeFD
	err = errors.Join(d.resize(c.Size), setModes(int(tty.Fd()), c))
	if err == nil {
		d.given, err = d.modes()
	}
	if err != nil {
		_ = d.close() // as above
		return err
	}
	return nil
}

func setModes(fd int, c Command) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return fmt.Errorf("reading the terminal's modes: %w", err)
	}
	t.Iflag |= unix.IUTF8
	if !c.Echo {
		t.Lflag &^= unix.ECHO | unix.ECHOE | unix.ECHOK
	}
	if !c.Canonical {
		t.Lflag &^= unix.ICANON
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	}
	if c.KeepCR {
		t.Iflag &^= unix.ICRNL
	}
	if err := unix.IoctlSetTermios(fd, setTermios, t); err != nil {
		return fmt.Errorf("setting the terminal's modes: %w", err)
	}
	return nil
}

func startProcess(c Command, tty *os.File) (*os.Process, error) {
	argv := c.Argv
	if len(argv) == 0 {
		argv = []string{c.Path}
	}
	var leader *os.Process
	var err error
	withDefaultSignals(func() {
		leader, err = os.StartProcess(c.Path, argv, &os.ProcAttr{
			Dir: c.Dir, Env: c.Env, Files: []*os.File{tty, tty, tty},
			Sys: &syscall.SysProcAttr{Setsid: true, Setctty: true},
		})
	})
	return leader, err
}

// endOfOutput converts a terminal's report that no process has it open to io.EOF.
func endOfOutput(n int, err error) (int, error) {
	if errors.Is(err, syscall.EIO) || n == 0 && err == nil {
		return n, io.EOF
	}
	return n, err
}

func (d *device) write(b []byte) (int, error) {
	d.wmu.Lock()
	defer d.wmu.Unlock()
	d.wbuf, d.wn, d.werr = b, 0, nil
	err := d.raw.Control(d.writeFn)
	d.wbuf = nil
	if err != nil {
		return 0, os.ErrClosed
	}
	return d.wn, d.werr
}

func (d *device) writeFD(fd uintptr) {
	for d.wn < len(d.wbuf) && d.werr == nil {
		n, err := writeSome(int(fd), d.wbuf[d.wn:])
		switch {
		case err == nil:
			d.wn += n
		case err == unix.EINTR: // try again
		case err == unix.EAGAIN:
			d.werr = ErrWouldBlock
		default:
			d.werr = os.NewSyscallError("write to the terminal", err)
		}
	}
}

// polls checks for an event without waiting.
func polls(fd int, events int16) bool {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: events}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n > 0
}

// inTerminal reports whether the terminal holds output.
func (d *device) inTerminal() (yes bool) {
	_ = d.control(func(fd int) error { yes = polls(fd, unix.POLLIN); return nil }) // an error means closed: nothing to read
	return yes
}

// control runs an ioctl-like call on the master; it fails after close, which waits for it.
// RawConn's method would cost five allocations.
func (d *device) control(f func(fd int) error) error {
	d.use.RLock()
	defer d.use.RUnlock()
	if d.retired {
		return os.ErrClosed
	}
	return f(d.fd)
}

// retire makes control fail.
func (d *device) retire() {
	d.use.Lock()
	defer d.use.Unlock()
	d.retired = true
}

func (d *device) resize(s Size) error {
	return d.control(func(fd int) error {
		return os.NewSyscallError("set the terminal's size", unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ,
			&unix.Winsize{Col: uint16(s.Cols), Row: uint16(s.Rows)}))
	})
}

func (d *device) size() (s Size) {
	// After close the size is zero, as documented.
	_ = d.control(func(fd int) error {
		w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil {
			s = Size{Cols: int(w.Col), Rows: int(w.Row)}
		}
		return err
	})
	return s
}

func (d *device) foreground() (pgid int, err error) {
	err = d.control(func(fd int) (err error) {
		pgid, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return os.NewSyscallError("ask for the foreground group", err)
	})
	return pgid, err
}

func (d *device) cook() (undo func(), err error) {
	before, err := d.modes()
	if err != nil {
		return nil, err
	}
	cooked := before.t
	cooked.Iflag = cooked.Iflag&^(unix.IGNCR|unix.INLCR) | unix.ICRNL
	cooked.Lflag |= unix.ECHO | unix.ECHOE | unix.ECHOK | unix.ICANON | unix.ISIG
	set := func(t *unix.Termios) error {
		return d.control(func(fd int) error {
			return os.NewSyscallError("set the terminal's modes", unix.IoctlSetTermios(fd, setTermios, t))
		})
	}
	return func() {
		if now, err := d.modes(); err == nil && now.t.Iflag == cooked.Iflag && now.t.Lflag|unix.ECHO == cooked.Lflag { // some programs turn the echo off at each prompt
			_ = set(&before.t) // an error means that it is closed
		}
	}, set(&cooked)
}

func (d *device) restoreModes() error {
	return d.control(func(fd int) error {
		return os.NewSyscallError("set the terminal's modes", unix.IoctlSetTermios(fd, setTermios, &d.given.t))
	})
}

func (d *device) interrupts() bool {
	m, err := d.modes()
	return err == nil && m.t.Lflag&unix.ISIG != 0 && m.t.Cc[unix.VINTR] == 0x03
}

func killGroup(pgid int, sig syscall.Signal) error {
	err := syscall.Kill(-pgid, sig)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("kill", err)
}

func exitStatus(state *os.ProcessState) (code int, signal string) {
	w := state.Sys().(syscall.WaitStatus)
	if w.Signaled() {
		return 128 + int(w.Signal()), unix.SignalName(w.Signal())
	}
	return w.ExitStatus(), ""
}

func (d *device) path() string { return d.name }
