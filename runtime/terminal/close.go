package terminal

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"example.org/ripple/runtime/proctree"
)

// lastWords is how long to wait for the end of the output when all processes have ended.
const lastWords = time.Second

// usualSteps give remaining processes time to react to SIGHUP and SIGTERM.
var usualSteps = []proctree.Step{
	{Signal: syscall.SIGHUP, Grace: 100 * time.Millisecond},
	{Signal: syscall.SIGTERM, Grace: 200 * time.Millisecond},
}

// tree is the program's process tree; its lock serializes use.
type tree struct {
	mu sync.Mutex
	*proctree.Tree
}

// RecordMembers records the living processes of the program's tree, wherever they move later: call it
// before the program is asked to end.
func (t *Terminal) RecordMembers() {
	t.tree.mu.Lock()
	defer t.tree.mu.Unlock()
	t.tree.RecordMembers()
}

// Members lists the living processes of the program's tree.
func (t *Terminal) Members() []proctree.Process {
	t.tree.mu.Lock()
	defer t.tree.mu.Unlock()
	return t.tree.Members()
}

// Close ends the program and all processes that it started. It sends the signal of each
// step to the processes that are left (without steps: SIGHUP, then SIGTERM), and then
// kills until the context ends. It sends no signal if no process is left. Then it closes
// the terminal and returns when Run has returned, so the function that Run calls must
// return. The error lists the processes that did not end. Close may be called again, and
// the screen can still be read.
func (t *Terminal) Close(ctx context.Context, steps ...proctree.Step) error {
	t.closing.Do(func() {
		if len(steps) == 0 {
			steps = usualSteps
		}
		t.tree.mu.Lock()
		err := t.tree.End(ctx, steps...)
		t.tree.mu.Unlock()
		if errors.Is(err, proctree.ErrUnsupported) {
			err = nil // closing the terminal is all that is possible
		}
		if t.started.CompareAndSwap(false, true) {
			t.end() // there is no reader
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
