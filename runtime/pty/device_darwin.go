package pty

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA

	raisesOutput = 0 // there is no such mode
	lowersInput  = 0
)

// openPair opens a terminal. The master is a duplicate of creack/pty's, which stays blocking:
// kqueue does not report terminals reliably. The end of the program wakes a reader.
func openPair() (master, tty *os.File, err error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close() // its duplicate stays open
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		_ = tty.Close() // nothing was written to it
		return nil, nil, fmt.Errorf("duplicate it: %w", err)
	}
	return os.NewFile(uintptr(fd), "/dev/ptmx"), tty, nil
}

// writeSome writes a piece small enough not to block once poll reports room.
func writeSome(fd int, b []byte) (int, error) {
	const piece = 64
	if !polls(fd, unix.POLLOUT) {
		return 0, unix.EAGAIN
	}
	return unix.Write(fd, b[:min(len(b), piece)])
}

func (d *device) waitWritable(deadline time.Time) error {
	// Waits in pieces to notice close.
	const pieceMS = 100
	for deadline.IsZero() || time.Now().Before(deadline) {
		ready := false
		err := d.control(func(fd int) error {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, pieceMS)
			ready = n > 0
			if err == unix.EINTR {
				return nil
			}
			return err
		})
		if ready || err != nil {
			return err
		}
	}
	return os.ErrDeadlineExceeded
}

func (d *device) dropInput() error { return errors.ErrUnsupported }

func watchReads(string) (*ReadWatch, error) { return nil, errors.ErrUnsupported }

func (w *ReadWatch) seen() bool { return false }

func (w *ReadWatch) close() error { return nil }

// reader is empty on this system.
type reader struct{}

func (*reader) open(int) error { return nil }

func (d *device) read(b []byte) (int, error) { return endOfOutput(d.file.Read(b)) }

func (d *device) readable(int64) bool { return d.inTerminal() }

func (d *device) setReadDeadline(t time.Time) error { return d.file.SetReadDeadline(t) }

func (d *device) close() error {
	d.retire()
	return d.file.Close()
}

// awaitExit is empty on this system: the wait that follows reaps.
func awaitExit(int) {}

func (p *PTY) readiness() Readiness { return Readiness{} }

func (p *PTY) waitID() uint64 { return 0 }

func (*PTY) holds(int) bool { return true }

func (*PTY) has(int) bool { return true }

func (d *device) signalForeground(syscall.Signal) error { return ErrUnsupported }
