// Package pty runs a program on a pseudo-terminal of its own.
//
// The main path is Start, then Read until io.EOF, Write for input, Close. Read,
// Write, WaitWritable, Resize, Flags, Readiness, Signal and Close may be called
// from different goroutines at once; two Reads, or two Writes, take turns.
//
// The program gets its own session with the terminal as its controlling one, no
// descriptor beyond 0, 1 and 2, and default signal dispositions even when this
// process ignores signals (as it does under nohup).
//
// On Linux everything here works. On macOS Readiness is always Unknown, read
// deadlines are refused and a Read is woken by the program's end. Elsewhere
// Start returns ErrUnsupported.
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

// ErrWouldBlock says that the terminal took less than Write was given.
var ErrWouldBlock = errors.New("the terminal takes no more input now; WaitWritable tells when it does")

// ErrUnsupported says that this system has no pseudo-terminals we can drive.
var ErrUnsupported = fmt.Errorf("pseudo-terminals are not supported on %s; run on Linux or macOS", runtime.GOOS)

// Size is a terminal size in character cells; each is 1 to 65535.
type Size struct{ Cols, Rows int }

// Command says what to start.
type Command struct {
	Path string   // the executable, used as it is: no search in PATH
	Argv []string // all arguments with argv[0]; empty: Path alone
	Env  []string // KEY=value; nil: this process's environment
	Dir  string   // working directory; empty: this process's
	Size Size     // in force before the program starts

	Echo      bool // false: the terminal does not echo input
	Canonical bool // false: no line editing in the terminal; bytes pass at once
	KeepCR    bool // a carriage return that is typed does not become a line feed
}

// PTY is a running program and its terminal.
type PTY struct {
	dev    *device
	leader *os.Process
	exited chan struct{}
	once   sync.Once
	err    error // of Close

	mu    sync.Mutex // leader's pid is not reused while it is held and reaped is false
	ended bool       // reaped
	code  int
	sig   string
}

// Start starts c on a new pseudo-terminal.
func Start(c Command) (*PTY, error) {
	if c.Size.Cols < 1 || c.Size.Rows < 1 || c.Size.Cols > 65535 || c.Size.Rows > 65535 {
		return nil, fmt.Errorf("terminal size %d×%d: columns and rows must be 1 to 65535", c.Size.Cols, c.Size.Rows)
	}
	dev, leader, err := start(c)
	if err != nil {
		return nil, err
	}
	p := &PTY{dev: dev, leader: leader, exited: make(chan struct{})}
	go p.wait()
	return p, nil
}

// wait reaps the leader, and only it.
func (p *PTY) wait() {
	awaitExit(p.leader.Pid)
	p.mu.Lock()
	state, err := p.leader.Wait()
	p.ended, p.code = true, -1 // -1 stays if somebody else reaped it
	if err == nil {
		p.code, p.sig = exitStatus(state)
	}
	p.mu.Unlock()
	close(p.exited)
}

// Read reads what programs wrote to the terminal: at least one byte, at most
// about 4 KB in one call. It returns io.EOF after the last byte, once no
// process has the terminal open; os.ErrDeadlineExceeded after the deadline, when
// there is nothing to read; os.ErrClosed after Close.
func (p *PTY) Read(b []byte) (int, error) { return p.dev.read(b) }

// SetReadDeadline bounds running and later Reads; the zero time removes it.
func (p *PTY) SetReadDeadline(t time.Time) error { return p.dev.setReadDeadline(t) }

// Write gives the terminal as much of b as it takes at once and never blocks.
// When n < len(b) the error is ErrWouldBlock or says what broke.
func (p *PTY) Write(b []byte) (n int, err error) { return p.dev.write(b) }

// WaitWritable returns nil when the terminal takes at least one byte,
// os.ErrDeadlineExceeded after the deadline (the zero time: none), os.ErrClosed
// after Close. Only one goroutine may wait at a time.
func (p *PTY) WaitWritable(deadline time.Time) error { return p.dev.waitWritable(deadline) }

// Resize changes the size; the foreground process group gets SIGWINCH.
func (p *PTY) Resize(s Size) error {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > 65535 || s.Rows > 65535 {
		return fmt.Errorf("terminal size %d×%d: columns and rows must be 1 to 65535", s.Cols, s.Rows)
	}
	return p.dev.resize(s)
}

// Size is the terminal's size, which programs may have changed; zero after Close.
func (p *PTY) Size() Size { return p.dev.size() }

// PID is the started program's process id, which is also the id of its session
// and of its first process group.
func (p *PTY) PID() int { return p.leader.Pid }

// Foreground is the id of the process group in the terminal's foreground.
func (p *PTY) Foreground() (pgid int, err error) { return p.dev.foreground() }

// Modes are what the terminal does now with input and output.
func (p *PTY) Modes() (Modes, error) { return p.dev.modes() }

// Cook makes the terminal echo input and edit lines, whatever the program has it do.
// undo puts back what was, unless the program has changed more of it meanwhile than the echo.
func Cook(p *PTY) (undo func(), err error) { return p.dev.cook() }

// Readable tells whether there is output after the first taken bytes: in the
// terminal or, on Linux, in the hands of a Read that has not returned yet or
// whose caller has not counted it.
func (p *PTY) Readable(taken int64) bool { return p.dev.readable(taken) }

// Interrupts tells whether the terminal turns the byte 0x03 into SIGINT now.
func (p *PTY) Interrupts() bool { return p.dev.interrupts() }

// Signal sends a signal to the foreground process group or, when there is none,
// to the started program's group. os.ErrProcessDone: nobody is left there.
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
		return os.ErrProcessDone // a group's number may be somebody else's by now
	}
	if pgid, err := p.dev.foreground(); err == nil && pgid > 0 && killGroup(pgid, s) == nil {
		return nil
	}
	return killGroup(p.leader.Pid, s)
}

// Exited is closed when the started program has ended and was reaped. Its last
// output may still be unread.
func (p *PTY) Exited() <-chan struct{} { return p.exited }

// ExitStatus is valid once Exited is closed: the exit code, or 128+n and the
// name of signal n ("SIGKILL") that ended the program. -1: unknown.
func (p *PTY) ExitStatus() (code int, signal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.code, p.sig
}

// Close kills the program and its foreground group, closes the terminal (the
// kernel hangs up whoever still uses it) and returns when the program has been
// reaped. Grace, and descendants that left both groups, are the caller's.
func (p *PTY) Close() error {
	p.once.Do(func() {
		p.mu.Lock()
		if !p.ended { // later a group's number may be somebody else's
			if pgid, err := p.dev.foreground(); err == nil && pgid > 0 {
				_ = killGroup(pgid, syscall.SIGKILL) // it may be gone already
			}
			_ = killGroup(p.leader.Pid, syscall.SIGKILL) // a zombie is fine too
			_ = p.leader.Kill()                          // when it changed its group
		}
		p.mu.Unlock()
		p.err = p.dev.close()
		<-p.exited
	})
	return p.err
}

// Name is the path of the terminal that the program has open, "/dev/pts/3".
func (p *PTY) Name() string { return p.dev.path() }
