package consolecmd

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"ripple/runtime/console"
)

// seat is the terminal at which a person sits who attaches.
type seat struct {
	in, out  *os.File
	detacher *console.Detacher

	before    *term.State // the terminal's modes
	caretaker *caretaker
	mu        sync.Mutex  // one write at a time
	given     atomic.Bool // nothing more is written
	once      sync.Once
}

// size is the terminal's; one that does not know its own is a usual one.
func (s *seat) size() (cols, rows int, err error) {
	cols, rows, err = term.GetSize(int(s.out.Fd()))
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

// take gives the keys to us, and lets what is shown scroll off.
func (s *seat) take(rows int) (err error) {
	s.caretaker = newCaretaker(s.out)
	if s.before, err = term.MakeRaw(int(s.in.Fd())); err != nil {
		s.caretaker.relieve()
		return err
	}
	s.caretaker.charge(s.out)
	s.write([]byte(saveTitle + strings.Repeat("\n", max(rows-1, 0))))
	return nil
}

// retake takes the keys again: whoever stopped us may have given them to a shell.
func (s *seat) retake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.given.Load() {
		_, _ = term.MakeRaw(int(s.in.Fd())) // it was possible before
	}
}

// write writes to the terminal. It waits as long as that takes nothing.
func (s *seat) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.given.Load() {
		_, _ = s.out.Write(b) // the terminal is gone: a hang-up follows
	}
}

// giveBack makes the terminal what it was. The cursor stands below what is shown.
func (s *seat) giveBack() {
	s.once.Do(func() {
		s.given.Store(true)
		bounded(func() {
			s.mu.Lock() // whoever writes is through
			defer s.mu.Unlock()
			unset(s.out)
		})
		_ = term.Restore(int(s.in.Fd()), s.before) // it may be gone
		s.caretaker.relieve()
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

// guard runs f and gives the terminal back should it panic.
func (s *seat) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.giveBack()
			panic(r)
		}
	}()
	f()
}

// read reads what is typed.
func (s *seat) read(ctx context.Context, typed chan<- []byte, done context.CancelCauseFunc) {
	buf := make([]byte, 4096)
	for {
		n, err := s.in.Read(buf)
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
