package probe

import (
	"context"
	"time"

	"ripple/runtime/contract"
)

// testsFor bounds a run of all contract tests: what is left then is skipped, and the
// level is the one that was reached.
const testsFor = 90 * time.Second

// runTests runs contract tests of a draft.
func runTests(ctx context.Context, l *lab, d *draft, o contract.Options) (*contract.Report, error) {
	a, err := d.adapter(l.o.File)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, testsFor)
	defer cancel()
	return contract.Run(ctx, a, o), nil
}

// noteReport writes a report into the evidence.
func noteReport(l *lab, r *contract.Report) {
	for _, t := range r.Tests {
		switch {
		case t.Failure != nil:
			l.log.say("%s %s: %s", t.Status, t.Name, t.Failure.Message)
		default:
			l.log.say("%s %s %s", t.Status, t.Name, t.Reason)
		}
	}
	l.log.say("level %d %s", r.Level, r.LevelNote)
}
