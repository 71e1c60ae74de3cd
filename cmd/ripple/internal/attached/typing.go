package attached

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"
)

// Screen is the program's screen, which the terminal shows.
type Screen interface {
	Type(b []byte) error
	Resize(cols, rows int) error
}

// ErrDetached reports that the user has typed the keys of the Detacher.
var ErrDetached = errors.New("detached")

// ForwardSizes passes new sizes of the terminal on to the screen, until the context ends.
func (s *Terminal) ForwardSizes(ctx context.Context, on Screen) {
	changed := make(chan os.Signal, 1)
	notifyResize(changed)
	defer signal.Stop(changed)
	for {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
		s.makeRawAgain()
		if cols, rows, err := s.Size(); err == nil {
			_ = on.Resize(cols, rows) // the end is seen by others
		}
	}
}

// escapeTime is the maximum wait for the rest of a key after an escape.
const escapeTime = 25 * time.Millisecond

// ForwardKeys passes what is typed on to the screen, until the context ends. If the keys of the
// Detacher are typed, it calls done with ErrDetached.
func (s *Terminal) ForwardKeys(ctx context.Context, on Screen, done context.CancelCauseFunc) {
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
