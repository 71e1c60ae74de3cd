package seat

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"
)

// Screen is what a person has on his terminal.
type Screen interface {
	Type(b []byte) error
	Resize(cols, rows int) error
}

// ErrDetached: the person has typed the keys for it.
var ErrDetached = errors.New("detached")

// Resizes reports new sizes of the terminal.
func (s *Seat) Resizes(ctx context.Context, on Screen) {
	changed := make(chan os.Signal, 1)
	notifyResize(changed)
	defer signal.Stop(changed)
	for {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
		s.retake()
		if cols, rows, err := s.Size(); err == nil {
			_ = on.Resize(cols, rows) // the end is seen by others
		}
	}
}

// escapeTime is the maximum wait for the rest of a key after an escape.
const escapeTime = 25 * time.Millisecond

// Types sends what is typed, until the context ends or the keys of the Detacher are typed:
// ErrDetached.
func (s *Seat) Types(ctx context.Context, on Screen, done context.CancelCauseFunc) {
	typed := make(chan []byte)
	go s.Guard(func() { s.read(ctx, typed, done) })
	rest := time.NewTimer(escapeTime)
	rest.Stop()
	defer rest.Stop()
	for {
		var pass []byte
		detached := false
		select {
		case b := <-typed:
			if pass = b; s.Detacher != nil {
				pass, detached = s.Detacher.Feed(b)
			}
		case <-rest.C:
			pass = s.Detacher.Flush() // it holds something
		case <-ctx.Done():
			return
		}
		if len(pass) > 0 {
			_ = on.Type(pass) // the end is seen by others
		}
		if detached {
			done(ErrDetached)
			return
		}
		if s.Detacher != nil && s.Detacher.Holds() {
			rest.Reset(escapeTime)
		}
	}
}
