// Package pty runs a program on a new pseudo-terminal.
//
// The main path is Start, then Read until io.EOF, Write for input, Close. Read, Write,
// WaitWritable, Resize, Flags, Readiness, Signal and Close may be called from different goroutines
// at once; two Reads, or two Writes, are serialized.
//
// The program gets its own session with the terminal as its controlling terminal, no descriptors
// except 0, 1 and 2, and default signal dispositions even if this process ignores signals (as it
// does under nohup).
//
// On Linux everything works. On macOS Readiness always returns Unknown, read deadlines are refused,
// and a Read is woken by the program's end. On other systems Start returns ErrUnsupported.
package pty

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// ErrWouldBlock is returned if the terminal accepted less than Write was given.
var ErrWouldBlock = errors.New("the terminal takes no more input now; WaitWritable waits until it does")

// ErrUnsupported is returned on systems without supported pseudo-terminals.
var ErrUnsupported = fmt.Errorf("pseudo-terminals are not supported on %s; run on Linux or macOS", runtime.GOOS)

// Size is a terminal size in character cells; each is 1 to 65535.
type Size struct{ Cols, Rows int }

// Command describes the program to start.
type Command struct {
	Path string   // the executable, used unchanged: no search in PATH
	Argv []string // all arguments with argv[0]; empty: Path alone
	Env  []string // KEY=value; nil: this process's environment
	Dir  string   // working directory; empty: this process's
	Size Size     // in force before the program starts

	Echo      bool // false: the terminal does not echo input
	Canonical bool // false: no line editing in the terminal; bytes are passed on at once
	KeepCR    bool // a typed carriage return does not become a line feed
}

// PTY is a running program and its terminal.
type PTY struct {
	dev    *device
	leader *os.Process
	exited chan struct{}
	once   sync.Once
	err    error // of Close

	mu    sync.Mutex // the leader's pid is not reused while mu is held and ended is false
	ended bool       // reaped
	code  int
	sig   string
}

// Start starts c on a new pseudo-terminal.
func Start(c Command) (*PTY, error) {
	if c.Size.Cols < 1 || c.Size.Rows < 1 || c.Size.Cols > 65535 || c.Size.Rows > 65535 {
		return nil, fmt.Errorf("terminal size %d×%d: columns and rows must be 1 to 65535", c.Size.Cols, c.Size.Rows)
	}
	dev, leader, err := startDevice(c)
	if err != nil {
		return nil, err
	}
	p := &PTY{dev: dev, leader: leader, exited: make(chan struct{})}
	go p.wait()
	return p, nil
}

// wait reaps the leader, and nothing else.
func (p *PTY) wait() {
	awaitExit(p.leader.Pid)
	p.mu.Lock()
	state, err := p.leader.Wait()
	p.ended, p.code = true, -1 // -1 stays if another goroutine reaped it
	if err == nil {
		p.code, p.sig = exitStatus(state)
	}
	p.mu.Unlock()
	close(p.exited)
}

// Read reads output that programs wrote to the terminal: at least one byte, at most about 4 KB in
// one call. It returns io.EOF after the last byte, once no process has the terminal open;
// os.ErrDeadlineExceeded after the deadline, if there is nothing to read; os.ErrClosed after Close.
func (p *PTY) Read(b []byte) (int, error) { return p.dev.read(b) }

// SetReadDeadline bounds running and later Reads; the zero time removes it.
func (p *PTY) SetReadDeadline(t time.Time) error { return p.dev.setReadDeadline(t) }

// Write writes as much of b as the terminal accepts at once, and never blocks. If n < len(b) the
// error is ErrWouldBlock or the error that broke the terminal.
func (p *PTY) Write(b []byte) (n int, err error) { return p.dev.write(b) }

// WaitWritable returns nil when the terminal accepts at least one byte, os.ErrDeadlineExceeded
// after the deadline (the zero time: none), os.ErrClosed after Close. Only one goroutine may wait
// at a time.
func (p *PTY) WaitWritable(deadline time.Time) error { return p.dev.waitWritable(deadline) }

// Resize changes the size; the foreground process group gets SIGWINCH.
func (p *PTY) Resize(s Size) error {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > 65535 || s.Rows > 65535 {
		return fmt.Errorf("terminal size %d×%d: columns and rows must be 1 to 65535", s.Cols, s.Rows)
	}
	return p.dev.resize(s)
}

// Size returns the terminal's size, which programs may have changed; zero after Close.
func (p *PTY) Size() Size { return p.dev.size() }

// PID returns the started program's process id, which is also the id of its session and of its
// first process group.
func (p *PTY) PID() int { return p.leader.Pid }

// Foreground returns the id of the process group in the terminal's foreground.
func (p *PTY) Foreground() (pgid int, err error) { return p.dev.foreground() }

// Modes returns the terminal's current input and output modes.
func (p *PTY) Modes() (Modes, error) { return p.dev.modes() }

// ModesChanged reports whether the terminal's modes are no longer those that it had when the program was started.
func (p *PTY) ModesChanged() bool { return p.dev.modesChanged() }

// RestoreModes gives the terminal the modes that it had when the program was started. Errors: os.ErrClosed, and errors of the
// operating system.
func (p *PTY) RestoreModes() error { return p.dev.restoreModes() }

// DropInput discards the input that the program has not read, as tcflush(3) does with TCIFLUSH. Only
// on Linux; elsewhere it does nothing and returns errors.ErrUnsupported.
func (p *PTY) DropInput() error { return p.dev.dropInput() }

// ReadWatch observes whether programs read input from a terminal.
type ReadWatch struct{ fd int }

// WatchReads begins to observe reads. Only on Linux; elsewhere it returns errors.ErrUnsupported. Another error is that of
// the kernel, which limits the number of watches of a user (inotify(7), max_user_instances).
func (p *PTY) WatchReads() (*ReadWatch, error) { return watchReads(p.Name()) }

// Any reports whether input has been read since the last call, or since the watch began.
func (w *ReadWatch) Any() bool { return w.seen() }

// Close ends the watch.
func (w *ReadWatch) Close() error { return w.close() }

// Cook makes the terminal echo input and edit lines, whatever modes the program has set. undo
// restores the previous modes, unless the program has changed more than the echo meanwhile.
func Cook(p *PTY) (undo func(), err error) { return p.dev.cook() }

// Readable reports whether there is output after the first taken bytes: in the terminal
// or, on Linux, in a Read that has not returned yet or whose caller has not counted its
// result.
func (p *PTY) Readable(taken int64) bool { return p.dev.readable(taken) }

// Interrupts reports whether the terminal turns the byte 0x03 into SIGINT now.
func (p *PTY) Interrupts() bool { return p.dev.interrupts() }

// Signal sends a signal to the foreground process group or, if there is none, to the started
// program's group. It returns os.ErrProcessDone if that group has no processes.
func (p *PTY) Signal(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signal %v: not a signal of this system", sig)
	}
	if p.dev.signalForeground(s) == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone // the group's id may have been reused
	}
	if pgid, err := p.dev.foreground(); err == nil && pgid > 0 && killGroup(pgid, s) == nil {
		return nil
	}
	return killGroup(p.leader.Pid, s)
}

// Exited returns a channel that is closed when the started program has ended and was reaped. Its
// last output may still be unread.
func (p *PTY) Exited() <-chan struct{} { return p.exited }

// ExitStatus is valid once Exited is closed. It returns the exit code, or 128+n and the name of the
// signal n ("SIGKILL") that ended the program. -1: unknown.
func (p *PTY) ExitStatus() (code int, signal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.code, p.sig
}

// Close kills the program and its foreground group, closes the terminal (the kernel sends
// SIGHUP to processes that still use it) and returns when the program has been reaped. The
// caller is responsible for a grace period and for descendants that left both groups.
func (p *PTY) Close() error {
	p.once.Do(func() {
		p.mu.Lock()
		if !p.ended { // later the group's id may have been reused
			if pgid, err := p.dev.foreground(); err == nil && pgid > 0 {
				_ = killGroup(pgid, syscall.SIGKILL) // it may be gone already
			}
			_ = killGroup(p.leader.Pid, syscall.SIGKILL) // a zombie is not a problem
			_ = p.leader.Kill()                          // in case it changed its group
		}
		p.mu.Unlock()
		p.err = p.dev.close()
		<-p.exited
	})
	return p.err
}

// Name returns the path of the terminal that the program has open, "/dev/pts/3".
func (p *PTY) Name() string { return p.dev.path() }
