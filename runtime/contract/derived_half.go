package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// halfBlock sends the first line of a block alone. The program may accept it, report an error, or
// ask for the rest, in which case the session withdraws it: in all cases the session is usable
// again, and nothing of the line remains in the program.
func halfBlock(ctx context.Context, t *testRun) error {
	half, _, _ := strings.Cut(withNumber(t.adapter.Samples.Multiline, 4711), "\n")
	for range 2 { // they define the shape
		if err := t.usable(ctx, "before half a block"); err != nil {
			return err
		}
	}
	if _, err := t.eval(ctx, "half a block", half); err != nil && !errors.Is(err, session.ErrIncompleteInput) {
		return notWithdrawn(t.adapter, half, err)
	}
	if err := backToDefaultMode(ctx, t); err != nil {
		return notWithdrawn(t.adapter, half, err)
	}
	if err := t.usable(ctx, "after half a block"); err != nil {
		return notWithdrawn(t.adapter, half, fmt.Errorf("the next command failed: %w", err))
	}
	return nil
}

func notWithdrawn(a *schema.Adapter, half string, err error) error {
	return fmt.Errorf("%q, the first line of samples.multiline, was sent alone: %w. "+
		"The continuation prompt shows that a program waits for more input, and a session cancels the input by %s", half, err, withdrawal(a))
}

// withdrawal describes the key that a session sends to a program that asks for more input than
// there is.
func withdrawal(a *schema.Adapter) string {
	w := session.WithdrawalOf(a)
	sent := fmt.Sprintf("%s, %q", w.Setting, w.Key)
	switch w.Setting {
	case "":
		return "prompt.continuation_escape, signals.interrupt or signals.eof: none of them is declared"
	case "signals.interrupt":
		return sent + ", because prompt.continuation_escape is not declared"
	case "signals.eof":
		return sent + ", because prompt.continuation_escape and signals.interrupt are not declared"
	}
	return sent
}
