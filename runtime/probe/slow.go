package probe

import (
	"context"
	"slices"
	"strings"
	"time"
)

// slowStart is the duration of a start above which returning to the prompt is tried before a
// restart.
const slowStart = 600 * time.Millisecond

// trySlow tries samples that take time, for the language that was found: sleeping and reading.
func trySlow(ctx context.Context, l *lab) error {
	t := &l.tongue
	if t.score == 0 {
		return nil
	}
	l.log.experiment(3, "samples that take time")
	l.o.progress("sleeping and reading")
	for _, key := range []string{"sleep", "read_line"} {
		codes := slices.Clone(t.language.Samples[key])
		for _, code := range codes {
			works := sleeps
			if key == "read_line" {
				works = reads
			}
			ok, err := works(ctx, l, code)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil && ok {
				t.found[key] = code
				break
			}
		}
	}
	return nil
}

// sleeps reports whether a sleep of one second takes one second, and a sleep of zero seconds takes
// no time.
func sleeps(ctx context.Context, l *lab, code string) (bool, error) {
	a, err := l.eval(ctx, withNumber(code, 1))
	if err != nil || !a.ok || a.took < 900*time.Millisecond || a.took > 2500*time.Millisecond {
		return false, err
	}
	a, err = l.eval(ctx, withNumber(code, 0))
	return err == nil && a.ok && a.took < 900*time.Millisecond, err
}

// reads reports whether code waits for input at a line other than the prompt, and prints the input.
func reads(ctx context.Context, l *lab, code string) (bool, error) {
	a, err := l.eval(ctx, code)
	if err != nil || a.ok || a.how != waits {
		return false, err
	}
	const text = "an-answer-17"
	r := l.sendLine(ctx, text)
	return l.atPrompt && strings.Contains(strings.TrimPrefix(r.text(), text), text), nil
}
