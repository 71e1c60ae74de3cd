package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ripple/runtime/session"
	"ripple/schema"
)

// strayGap is how often a running command is looked at, and strayLooks how many looks
// in a row must find that it waits for input: nobody answers it in a test. Tests
// shorten the gap.
var strayGap = 250 * time.Millisecond

const strayLooks = 20

// strayError is a program that waits at something that is none of its adapter's prompts.
type strayError struct {
	at    string // the line in which it waits
	tried []string
	err   error // how the command was left
}

func (e *strayError) Error() string {
	return fmt.Sprintf("the program waits for input at %q, which is no prompt that the adapter knows (tried %s)", e.at, strings.Join(e.tried, ", "))
}

func (e *strayError) Unwrap() error { return e.err }

// answerless is Eval, given up once the program waits for an answer that nobody gives.
func (t *testRun) answerless(ctx context.Context, code string) (session.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if at, strays := t.strays(ctx); strays {
			cancel(&strayError{at: at, tried: prompts(t.adapter)})
		}
	}()
	r, err := t.ev.Eval(ctx, code)
	var stray *strayError
	if errors.As(context.Cause(ctx), &stray) && errors.Is(err, session.ErrTimeout) {
		stray.err = err
		err = stray
	}
	cancel(nil)
	<-watched
	return r, err
}

// strays looks until the context ends or the program has waited for long enough.
func (t *testRun) strays(ctx context.Context) (at string, yes bool) {
	tick := time.NewTicker(strayGap)
	defer tick.Stop()
	for looks := 0; looks < strayLooks; {
		select {
		case <-ctx.Done():
			return "", false
		case <-tick.C:
		}
		s := t.ev.State()
		if looks++; s.Waiting == session.WaitingNo {
			looks = 0
		}
		at = s.Partial[strings.LastIndexByte(s.Partial, '\n')+1:]
	}
	return at, true
}

// prompts are the prompts that end a command, as a message names them: the keys and
// their patterns.
func prompts(a *schema.Adapter) []string {
	var list []string
	switch a.Prompt.Strategy {
	case schema.PromptShellIntegration:
		list = append(list, "the markers of prompt.shell_integration")
	case schema.PromptMarker:
		list = append(list, "init.marker.primary")
	default:
		list = append(list, fmt.Sprintf("prompt.primary %q", a.Prompt.Primary))
	}
	if a.Prompt.Continuation != "" {
		list = append(list, fmt.Sprintf("prompt.continuation %q", a.Prompt.Continuation))
	}
	for _, m := range a.Modes {
		if m.Primary != "" {
			list = append(list, fmt.Sprintf("mode %s %q", m.Name, m.Primary))
		}
	}
	return list
}
