package probe

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ripple/runtime/contract"
)

// candidate is a draft whose tests are compared with those of others.
type candidate struct {
	what   string
	draft  *draft
	report *contract.Report
}

// strongest has the tests run with each way to announce prompts, the strongest first, and
// in the end with the pattern: the first one that gets as far as any becomes the draft. Untried
// are those weaker than one that failed in nothing but what may be mended.
func strongest(ctx context.Context, l *lab) (report *contract.Report, untried []*candidate, err error) {
	var list []*candidate
	for _, way := range append(slices.Clone(l.announced), announced{"a prompt that is known by a pattern", func(*draft) {}}) {
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

// compete has the first one tested, and the others beside it as soon as one has failed in a
// test of the lower levels, or takes its time to start. Once one has passed everything, those after it are stopped, and
// those before it as soon as they fail in something; and one that does not even start is, once
// another one does.
func compete(ctx context.Context, l *lab, list []*candidate) error {
	r := newRace(ctx, len(list))
	defer r.stop()
	late := time.AfterFunc(l.o.patience().start/20+3*l.startup, r.late)
	defer late.Stop()
	var group errgroup.Group
	for i, c := range list {
		group.Go(func() (err error) {
			if i > 0 && !r.mayStart() {
				return nil
			}
			c.report, err = allTests(r.runners[i].ctx, l, c.draft, func(p contract.Progress) {
				if p.Result != nil {
					r.told(i, p.Result)
				}
			})
			r.over(i, err == nil && clean(c.report))
			return err
		})
	}
	return group.Wait()
}

// firstClean is the first of the list all of whose tests pass; nil: none is. They run side by
// side, and what comes after it in the list is left.
func firstClean(ctx context.Context, l *lab, list []*candidate, o contract.Options) (*candidate, error) {
	for some := range slices.Chunk(list, atOnce) {
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
	for range list { // all of them, so that nothing runs on
		o := <-outcomes
		if o.err != nil { // a variation may make no adapter
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

// firstOf is the first that is clean, once nothing before it is under way.
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

// clean says that tests ran, all of them, and none failed.
func clean(r *contract.Report) bool {
	return r.OK() && r.Count(contract.Skipped) == 0 && r.Count(contract.Passed) > 0
}

func faults(r *contract.Report) int { return r.Count(contract.Failed) + r.Count(contract.Errored) }
