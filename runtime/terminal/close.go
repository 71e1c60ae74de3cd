package terminal

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"ripple/runtime/proctree"
)

// lastWords is how long the end of the output is waited for when everybody is gone.
const lastWords = time.Second

// usualSteps give those that are left time to act on a hang-up and on SIGTERM.
var usualSteps = []proctree.Step{
	{Signal: syscall.SIGHUP, Grace: 100 * time.Millisecond},
	{Signal: syscall.SIGTERM, Grace: 200 * time.Millisecond},
}

// tree is the program and what came of it, for one at a time.
type tree struct {
	mu sync.Mutex
	*proctree.Tree
}

// Remember makes the living processes of the program's tree known, wherever they move
// later: it is worth a call before the program is asked to end.
func (t *Terminal) Remember() {
	t.tree.mu.Lock()
	defer t.tree.mu.Unlock()
	t.tree.Remember()
}

// Members lists the living processes of the program's tree.
func (t *Terminal) Members() []proctree.Process {
	t.tree.mu.Lock()
	defer t.tree.mu.Unlock()
	return t.tree.Members()
}

// Close ends the program and everything that it started: by each step's signal, for
// those that are left after the one before (none given: a hang-up and SIGTERM), then
// by killing until the context ends. When nobody is left, no signal is sent. Then it
// closes the terminal and returns when Run has: the function that Run calls must come
// back. The error lists the processes that resisted. Closing twice is no error, and
// the screen can still be looked at.
func (t *Terminal) Close(ctx context.Context, steps ...proctree.Step) error {
	t.closing.Do(func() {
		if len(steps) == 0 {
			steps = usualSteps
		}
		t.tree.mu.Lock()
		err := t.tree.End(ctx, steps...)
		t.tree.mu.Unlock()
		if errors.Is(err, proctree.ErrUnsupported) {
			err = nil // closing the terminal does what can be done
		}
		if t.started.CompareAndSwap(false, true) {
			t.ends() // nobody reads
		}
		late := time.NewTimer(lastWords)
		defer late.Stop()
		select {
		case <-t.done:
		case <-late.C:
		}
		t.failure = errors.Join(err, t.tty.Close())
		<-t.done
	})
	return t.failure
}
