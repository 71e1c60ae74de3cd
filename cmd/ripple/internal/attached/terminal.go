// Package attached connects the user's terminal to a program: it shows the program's screen,
// forwards what the user types, and restores the terminal in every case.
package attached

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

// Terminal is the user's terminal.
type Terminal struct {
	In, Out  *os.File
	Detacher *console.Detacher // nil: all keys go to the program

	before     *term.State // the terminal's modes before Attach
	supervisor *supervisor
	mu         sync.Mutex  // one write at a time
	restored   atomic.Bool // nothing more is written
	once       sync.Once
}

// Size returns the size of the terminal: 80 by 24 if the terminal reports none.
func (s *Terminal) Size() (cols, rows int, err error) {
	cols, rows, err = term.GetSize(int(s.Out.Fd()))
	if cols == 0 || rows == 0 {
		cols, rows = 80, 24
	}
	return cols, rows, err
}

// The terminal saves and restores its title (XTWINOPS 22 and 23).
const (
	saveTitle    = "\x1b[22;0t"
	restoreTitle = "\x1b[23;0t"
)

// Attach sets the terminal to raw mode and scrolls its contents off the screen.
func (s *Terminal) Attach(rows int) (err error) {
	s.supervisor = newSupervisor(s.Out)
	if s.before, err = term.MakeRaw(int(s.In.Fd())); err != nil {
		s.supervisor.dismiss()
		return err
	}
	s.supervisor.arm(s.Out)
	s.Write([]byte(saveTitle + strings.Repeat("\n", max(rows-1, 0))))
	return nil
}

// makeRawAgain sets raw mode again: while ripple was stopped, a shell may have changed it.
func (s *Terminal) makeRawAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.restored.Load() {
		_, _ = term.MakeRaw(int(s.In.Fd())) // it was possible before
	}
}

// Write writes to the terminal. It blocks while the terminal accepts nothing.
func (s *Terminal) Write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.restored.Load() {
		_, _ = s.Out.Write(b) // the terminal is gone: a hang-up follows
	}
}

// Restore restores the terminal's modes and moves the cursor below what is shown.
func (s *Terminal) Restore() {
	s.once.Do(func() {
		s.restored.Store(true)
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
	_, _ = out.WriteString(console.ResetTerminal + restoreTitle + "\r\n\x1b[J") // it may be gone
}

// lastWrite limits the wait for a terminal that accepts nothing at the end.
const lastWrite = time.Second

// bounded runs a last write and waits for it, at most for lastWrite.
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

// Guard runs f and restores the terminal if it panics.
func (s *Terminal) Guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.Restore()
			panic(r)
		}
	}()
	f()
}

// read reads what is typed.
func (s *Terminal) read(ctx context.Context, typed chan<- []byte, done context.CancelCauseFunc) {
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
