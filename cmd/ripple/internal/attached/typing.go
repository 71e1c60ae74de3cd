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

// maxWaiting limits the keys that wait for a screen, in bytes.
const maxWaiting = 1 << 20

// typeKeys passes keys on to the screen, until the context ends.
func typeKeys(ctx context.Context, on Screen, keys <-chan []byte) {
	for {
		select {
		case b := <-keys:
			if len(b) > 0 {
				_ = on.Type(b) // the end is seen by others
			}
		case <-ctx.Done():
			return
		}
	}
}

// ForwardKeys passes what is typed on to the screen, until the context ends. If the keys of the
// Detacher are typed, it calls done with ErrDetached, even if the screen takes no keys.
func (s *Terminal) ForwardKeys(ctx context.Context, on Screen, done context.CancelCauseFunc) {
	typed := make(chan []byte)
	go s.Guard(func() { s.read(ctx, typed, done) })
	out := make(chan []byte)
	go s.Guard(func() { typeKeys(ctx, on, out) })
	rest := time.NewTimer(escapeTime)
	rest.Stop()
	defer rest.Stop()
	var waiting []byte // keys that the screen does not take yet
	for {
		var pass []byte
		detached := false
		give, take := out, typed
		if len(waiting) == 0 {
			give = nil
		}
		if len(waiting) > maxWaiting {
			take = nil
		}
		select {
		case give <- waiting:
			waiting = nil
			continue
		case b := <-take:
			if pass = b; s.Detacher != nil {
				pass, detached = s.Detacher.Feed(b)
			}
		case <-rest.C:
			pass = s.Detacher.Flush() // it holds something
		case <-ctx.Done():
			return
		}
		waiting = append(waiting, pass...)
		if detached {
			bounded(func() { // the second one is taken when the first one has been typed
				for _, b := range [][]byte{waiting, nil} {
					select {
					case out <- b:
					case <-ctx.Done():
						return
					}
				}
			})
			done(ErrDetached)
			return
		}
		if s.Detacher != nil && s.Detacher.Holds() {
			rest.Reset(escapeTime)
		}
	}
}
