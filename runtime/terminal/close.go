package terminal

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"ripple/runtime/proctree"
)

// How long processes may take to act on a hang-up and on SIGTERM, and how long
// we go on killing what does not die.
const (
	hangupGrace = 100 * time.Millisecond
	termGrace   = 200 * time.Millisecond
	killLimit   = 5 * time.Second
)

// tree is the program and what came of it, for one at a time.
type tree struct {
	mu sync.Mutex
	*proctree.Tree
}

// Members lists the living processes of the program's tree. Those seen once stay
// known wherever they move, so it is worth a call before the program is asked to
// end.
func (t *Terminal) Members() []proctree.Process {
	t.tree.mu.Lock()
	defer t.tree.mu.Unlock()
	return t.tree.Members()
}

// Close ends the program and everything that it started: by a hang-up, by the
// given signal (0: SIGTERM) and by SIGKILL, each for those that are left after
// the one before; then it closes the terminal. When nobody is left, no signal is
// sent. It returns when Run has: the function that Run calls must come back. The
// error lists the processes that resisted for five seconds. Closing twice is no
// error, and the screen can still be looked at.
func (t *Terminal) Close(sig syscall.Signal) error {
	t.closing.Do(func() {
		if sig == 0 || sig == syscall.SIGKILL || sig == syscall.SIGHUP {
			sig = syscall.SIGTERM
		}
		limit, cancel := context.WithTimeout(context.Background(), killLimit)
		defer cancel()
		t.tree.mu.Lock()
		err := t.tree.End(limit,
			proctree.Step{Signal: syscall.SIGHUP, Grace: hangupGrace},
			proctree.Step{Signal: sig, Grace: termGrace})
		t.tree.mu.Unlock()
		if errors.Is(err, proctree.ErrUnsupported) {
			err = nil // closing the terminal does what can be done
		}
		t.failure = errors.Join(err, t.tty.Close())
		t.running.Do(t.ends) // if nobody has called Run
		<-t.done
	})
	return t.failure
}
