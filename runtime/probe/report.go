package probe

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"example.org/ripple/runtime/contract"
)

const (
	// testsTimeout is the time limit for all contract tests: the remaining ones are skipped, and the
	// level is the one reached.
	testsTimeout = 90 * time.Second
	// maxParallel is the number of variations tested concurrently: they mostly wait.
	maxParallel = 6
)

// runTests runs contract tests of a draft. The program has to reach its first prompt about as fast
// as in the experiments.
func runTests(ctx context.Context, l *lab, d *draft, o contract.Options) (*contract.Report, error) {
	a, err := d.adapter(l.o.File)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, testsTimeout)
	defer cancel()
	o.StartTimeout = l.o.patience().start/4 + 5*l.startup
	return contract.Run(ctx, a, o), nil
}

// allTests runs the tests of varied keys in two concurrent halves; progress is called for each test
// by either.
func allTests(ctx context.Context, l *lab, d *draft, progress func(contract.Progress)) (*contract.Report, error) {
	var hard *contract.Report
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		hard, err = runTests(ctx, l, d, contract.Options{MinLevel: varied, MaxLevel: varied, Progress: progress})
		return err
	})
	report, err := runTests(ctx, l, d, contract.Options{MaxLevel: varied - 1, Progress: progress})
	if err = errors.Join(err, group.Wait()); err != nil {
		return nil, err
	}
	report.Add(hard)
	return report, nil
}

// noteReport adds a report to the evidence.
func noteReport(l *lab, r *contract.Report) {
	for _, t := range r.Tests {
		switch {
		case t.Failure != nil:
			l.log.say("%s %s after %d ms: %s", t.Status, t.Name, t.Duration.Milliseconds(), t.Failure.Message)
		case t.Status == contract.Passed:
			l.log.say("%s %s in %d ms", t.Status, t.Name, t.Duration.Milliseconds())
		default:
			l.log.say("%s %s: %s", t.Status, t.Name, t.Reason)
		}
	}
	l.log.say("level %d %s", r.Level, r.LevelNote)
}
