package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// unknownPromptGap is how often a running command is checked, and unknownPromptLooks is how many
// checks in a row must find that it waits for input, which nobody provides in a test. Tests shorten
// the gap.
var unknownPromptGap = 250 * time.Millisecond

const unknownPromptLooks = 20

// unknownPromptError is returned for a program that waits at a prompt that its adapter does not
// know.
type unknownPromptError struct {
	at    string // the line in which it waits
	tried []string
	err   error // the error with which the wait for the command ended
}

func (e *unknownPromptError) Error() string {
	return fmt.Sprintf("the program waits for input at %q, which matches no prompt of the adapter (%s)", e.at, strings.Join(e.tried, ", "))
}

func (e *unknownPromptError) Unwrap() error { return e.err }

// evalUnattended is Eval that ends early if the program waits for an answer that nobody gives.
func (t *testRun) evalUnattended(ctx context.Context, code string) (session.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if at, strays := t.waitsAtUnknownPrompt(ctx); strays {
			cancel(&unknownPromptError{at: at, tried: prompts(t.adapter)})
		}
	}()
	r, err := t.ev.Eval(ctx, code)
	var stray *unknownPromptError
	if errors.As(context.Cause(ctx), &stray) && errors.Is(err, session.ErrTimeout) {
		stray.err = err
		err = stray
	}
	cancel(nil)
	<-watched
	return r, err
}

// waitsAtUnknownPrompt checks until the context ends or the program has waited for long enough.
func (t *testRun) waitsAtUnknownPrompt(ctx context.Context) (at string, yes bool) {
	tick := time.NewTicker(unknownPromptGap)
	defer tick.Stop()
	for looks := 0; looks < unknownPromptLooks; {
		select {
		case <-ctx.Done():
			return "", false
		case <-tick.C:
		}
		s := t.ev.State()
		if looks++; s.Waiting == session.WaitingNone {
			looks = 0
		}
		at = s.Partial[strings.LastIndexByte(s.Partial, '\n')+1:]
	}
	return at, true
}

// prompts lists the prompts that end a command, for messages: the keys and their patterns.
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
