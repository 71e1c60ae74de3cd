package pty

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// pollable duplicates the master as a non-blocking file in Go's poller, where
// WaitWritable waits. creack/pty's own file is a blocking one.
func pollable(blocking *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate it: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd) // nothing was written to it
		return nil, fmt.Errorf("make it non-blocking: %w", err)
	}
	return os.NewFile(uintptr(fd), "/dev/ptmx"), nil
}

func writeSome(fd int, b []byte) (int, error) { return unix.Write(fd, b) }

func (d *device) waitWritable(deadline time.Time) error {
	if err := d.file.SetWriteDeadline(deadline); err != nil {
		return os.ErrClosed // it is pollable, so nothing else can fail
	}
	err := d.raw.Write(func(fd uintptr) bool { return writable(int(fd)) })
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return os.ErrClosed // RawConn has an error of its own for it
	}
	return err
}

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
