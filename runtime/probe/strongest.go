package probe

import (
	"context"
	"regexp"
	"slices"

	"ripple/runtime/contract"
)

// strongest has the tests run with each way to announce prompts, the strongest first, and
// in the end with the pattern: the first one that gets as far as any becomes the draft.
func strongest(ctx context.Context, l *lab) (best *contract.Report, err error) {
	var chosen *draft
	for i, way := range append(slices.Clone(l.announced), announced{"a prompt that is known by a pattern", func(*draft) {}}) {
		d := l.draft.clone()
		way.apply(d)
		if starts, err := startsAtAll(ctx, l, d); err != nil {
			return nil, err
		} else if !starts && i < len(l.announced) {
			l.log.say("%s: the program does not come to one", way.what)
			continue
		}
		report, err := runTests(ctx, l, d, contract.Options{UpTo: varied})
		if err != nil {
			return nil, err
		}
		l.log.say("%s: level %d, %d passed, %d failed", way.what, report.Level, report.Count(contract.Passed), faults(report))
		if best == nil || report.Level > best.Level || report.Level == best.Level && faults(report) < faults(best) {
			best, chosen = report, d
		}
		if faults(report) == 0 || ctx.Err() != nil {
			break
		}
		noteReport(l, report)
	}
	l.draft = chosen
	return best, nil
}

// startsAtAll says whether a prompt of a draft comes, so that little time is lost where not.
func startsAtAll(ctx context.Context, l *lab, d *draft) (bool, error) {
	within, cancel := context.WithTimeout(ctx, l.o.patience().start/2+5*l.startup)
	defer cancel()
	report, err := runTests(within, l, d, contract.Options{Filter: regexp.MustCompile("^probe$")})
	if err != nil {
		return false, err
	}
	return report.OK(), ctx.Err()
}

func faults(r *contract.Report) int { return r.Count(contract.Failed) + r.Count(contract.Errored) }
