package probe

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"example.org/ripple/runtime/contract"
)

// candidate is a draft whose test results are compared with those of others.
type candidate struct {
	what   string
	draft  *draft
	report *contract.Report
}

// strongest runs the tests with each way to announce prompts, strongest first, and finally with the
// pattern: the first one that reaches the highest level becomes the draft. untried are the weaker
// ones if a stronger one failed only in tests that variations may fix.
func strongest(ctx context.Context, l *lab) (report *contract.Report, untried []*candidate, err error) {
	var list []*candidate
	for _, way := range append(slices.Clone(l.announced), announced{"a prompt known by a pattern", func(*draft) {}}) {
		d := l.draft.clone()
		way.apply(d)
		list = append(list, &candidate{what: way.what, draft: d})
	}
	report, err = strongestOf(ctx, l, list)
	return report, slices.DeleteFunc(list, func(c *candidate) bool { return c.report != nil }), err
}

func strongestOf(ctx context.Context, l *lab, list []*candidate) (*contract.Report, error) {
	if err := compete(ctx, l, list); err != nil {
		return nil, err
	}
	best := list[0]
	for _, c := range list {
		if c.report == nil {
			continue
		}
		l.log.say("%s: level %d, %d passed, %d failed", c.what, c.report.Level, c.report.Count(contract.Passed), faults(c.report))
		if !clean(best.report) && better(c.report, best.report) {
			best = c
		}
	}
	l.draft = best.draft
	return best.report, nil
}

func better(r, best *contract.Report) bool {
	return clean(r) || r.Level > best.Level || r.Level == best.Level && faults(r) < faults(best)
}

// compete tests the first candidate, and the others concurrently once it has failed a test of the
// lower levels or is slow to start. Once a candidate has passed everything, weaker ones are
// stopped, and stronger ones as soon as they fail; a candidate that does not even start is stopped
// once another one has started.
func compete(ctx context.Context, l *lab, list []*candidate) error {
	r := newRace(ctx, len(list))
	defer r.stop()
	late := time.AfterFunc(l.o.patience().start/20+3*l.startup, r.firstIsLate)
	defer late.Stop()
	var group errgroup.Group
	for i, c := range list {
		group.Go(func() (err error) {
			if i > 0 && !r.mayStart() {
				return nil
			}
			c.report, err = allTests(r.runners[i].ctx, l, c.draft, func(p contract.Progress) {
				if p.Result != nil {
					r.testDone(i, p.Result)
				}
			})
			r.runnerDone(i, err == nil && clean(c.report))
			return err
		})
	}
	return group.Wait()
}

// firstClean returns the first of the list whose tests all pass, or nil. They run concurrently;
// those after it in the list are stopped.
func firstClean(ctx context.Context, l *lab, list []*candidate, o contract.Options) (*candidate, error) {
	for some := range slices.Chunk(list, maxParallel) {
		if found := firstCleanOf(ctx, l, some, o); found != nil {
			return found, ctx.Err()
		}
	}
	return nil, ctx.Err()
}

func firstCleanOf(ctx context.Context, l *lab, list []*candidate, o contract.Options) *candidate {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		at     int
		report *contract.Report
		err    error
	}
	outcomes := make(chan outcome)
	for i, c := range list {
		go func() {
			report, err := runTests(ctx, l, c.draft, o)
			outcomes <- outcome{i, report, err}
		}()
	}
	var found *candidate
	for range list { // waits for all of them, so that none keeps running
		o := <-outcomes
		if o.err != nil { // a variation may not produce a valid adapter
			l.log.say("varied: %s: %v", list[o.at].what, o.err)
			o.report = &contract.Report{}
		}
		if found != nil {
			continue
		}
		list[o.at].report = o.report
		if found = firstOf(list); found != nil {
			cancel()
		}
	}
	return found
}

// firstOf returns the first clean one, once none before it is running.
func firstOf(list []*candidate) *candidate {
	for _, c := range list {
		switch {
		case c.report == nil:
			return nil
		case clean(c.report):
			return c
		}
	}
	return nil
}

// clean reports whether all tests ran and none failed.
func clean(r *contract.Report) bool {
	return r.OK() && r.Count(contract.Skipped) == 0 && r.Count(contract.Passed) > 0
}

func faults(r *contract.Report) int { return r.Count(contract.Failed) + r.Count(contract.Errored) }
