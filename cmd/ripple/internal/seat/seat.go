// Package seat attaches a person's terminal to a program: it shows the program's screen,
// passes on what the person types, and restores the terminal in every case.
package seat

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"example.org/ripple/runtime/console"
)

// Seat is the terminal at which a person sits.
type Seat struct {
	In, Out  *os.File
	Detacher *console.Detacher // nil: no keys are ours

	before     *term.State // the terminal's modes
	supervisor *supervisor
	mu         sync.Mutex  // one write at a time
	given      atomic.Bool // nothing more is written
	once       sync.Once
}

// Size is the terminal's; one that does not know its own is a usual one.
func (s *Seat) Size() (cols, rows int, err error) {
	cols, rows, err = term.GetSize(int(s.Out.Fd()))
	if cols == 0 || rows == 0 {
		cols, rows = 80, 24
	}
	return cols, rows, err
}

// What a terminal keeps for us: its title (XTWINOPS 22 and 23).
const (
	saveTitle = "\x1b[22;0t"
	giveTitle = "\x1b[23;0t"
)

// Take gives the keys to us, and lets what is shown scroll off.
func (s *Seat) Take(rows int) (err error) {
	s.supervisor = newSupervisor(s.Out)
	if s.before, err = term.MakeRaw(int(s.In.Fd())); err != nil {
		s.supervisor.dismiss()
		return err
	}
	s.supervisor.arm(s.Out)
	s.Write([]byte(saveTitle + strings.Repeat("\n", max(rows-1, 0))))
	return nil
}

// retake takes the keys again: the process that stopped us may have given them to a shell.
func (s *Seat) retake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.given.Load() {
		_, _ = term.MakeRaw(int(s.In.Fd())) // it was possible before
	}
}

// Write writes to the terminal. It waits as long as that takes nothing.
func (s *Seat) Write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.given.Load() {
		_, _ = s.Out.Write(b) // the terminal is gone: a hang-up follows
	}
}

// GiveBack makes the terminal what it was. The cursor stands below what is shown.
func (s *Seat) GiveBack() {
	s.once.Do(func() {
		s.given.Store(true)
		bounded(func() {
			s.mu.Lock() // a write is complete
			defer s.mu.Unlock()
			unset(s.Out)
		})
		_ = term.Restore(int(s.In.Fd()), s.before) // it may be gone
		s.supervisor.dismiss()
	})
}

// unset undoes what the console may have set on a terminal.
func unset(out *os.File) {
	_, _ = out.WriteString(console.ResetTerminal + giveTitle + "\r\n\x1b[J") // it may be gone
}

// lastWrite is how long a terminal that takes nothing is waited for at the end.
const lastWrite = time.Second

// bounded waits for a last write, for so long.
func bounded(write func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		write()
	}()
	t := time.NewTimer(lastWrite)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}

// Guard runs f and gives the terminal back should it panic.
func (s *Seat) Guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.GiveBack()
			panic(r)
		}
	}()
	f()
}

// read reads what is typed.
func (s *Seat) read(ctx context.Context, typed chan<- []byte, done context.CancelCauseFunc) {
	buf := make([]byte, 4096)
	for {
		n, err := s.In.Read(buf)
		if err != nil {
			done(context.Canceled) // the terminal is gone
			return
		}
		select {
		case typed <- append([]byte(nil), buf[:n]...):
		case <-ctx.Done():
			return
		}
	}
}
