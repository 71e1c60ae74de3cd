package probe

import (
	"context"
	"errors"
	"slices"

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
// in the end with the pattern: the first one that gets as far as any becomes the draft.
func strongest(ctx context.Context, l *lab) (*contract.Report, error) {
	var list []*candidate
	for _, way := range append(slices.Clone(l.announced), announced{"a prompt that is known by a pattern", func(*draft) {}}) {
		d := l.draft.clone()
		way.apply(d)
		list = append(list, &candidate{what: way.what, draft: d})
	}
	if err := compete(ctx, l, list); err != nil {
		return nil, err
	}
	best := list[0]
	for _, c := range list {
		l.log.say("%s: level %d, %d passed, %d failed", c.what, c.report.Level, c.report.Count(contract.Passed), faults(c.report))
		if clean(best.report) {
			continue
		}
		if clean(c.report) || c.report.Level > best.report.Level || c.report.Level == best.report.Level && faults(c.report) < faults(best.report) {
			best = c
		}
	}
	l.draft = best.draft
	return best.report, nil
}

// compete has all tested side by side. Once one has passed everything, those after it are
// stopped, and those before it as soon as they fail in something; and one that does not even
// start is, once another one does.
func compete(ctx context.Context, l *lab, list []*candidate) error {
	var race race
	for range list {
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		race.runners = append(race.runners, &entrant{ctx: within, stop: cancel})
	}
	var group errgroup.Group
	for i, c := range list {
		group.Go(func() (err error) {
			c.report, err = allTests(race.runners[i].ctx, l, c.draft, func(p contract.Progress) {
				if p.Result != nil {
					race.told(i, p.Result)
				}
			})
			if err == nil && clean(c.report) {
				race.won(i)
			}
			return err
		})
	}
	return group.Wait()
}

// firstClean is the first of the list all of whose tests pass; nil: none is. They run side by
// side, and what comes after it in the list is left.
func firstClean(ctx context.Context, l *lab, list []*candidate, o contract.Options) (*candidate, error) {
	for some := range slices.Chunk(list, atOnce) {
		found, err := firstCleanOf(ctx, l, some, o)
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, ctx.Err()
}

func firstCleanOf(ctx context.Context, l *lab, list []*candidate, o contract.Options) (*candidate, error) {
	ctx, cancel := context.WithCancel(ctx)
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
	var err error
	for range list { // all of them, so that nothing runs on
		o := <-outcomes
		err = errors.Join(err, o.err)
		if found != nil {
			continue
		}
		list[o.at].report = o.report
		if found = firstOf(list); found != nil {
			cancel()
		}
	}
	cancel()
	return found, err
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
