package probe

import (
	"context"
	"regexp"
	"time"

	"example.org/ripple/runtime/contract"
)

// variationTime is how long after the contract tests a new variation of failed keys may start.
const variationTime = 30 * time.Second

// runContracts is experiment 10: the adapter's contract tests. Keys whose tests fail are varied and tested
// again; a sample that no variation fixes is left out, with the reason.
func runContracts(ctx context.Context, l *lab) (*contract.Report, error) {
	l.log.experiment(10, "the contract tests, and variations of what fails")
	l.o.progress("the contract tests")
	report, untried, err := strongest(ctx, l)
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(variationTime)
	if report, err = fixUntil(ctx, l, report, until); err != nil {
		return nil, err
	}
	if report.Level < varied && len(untried) > 0 && time.Now().Before(until) {
		if report, err = tryWeaker(ctx, l, report, untried, until); err != nil {
			return nil, err
		}
	}
	if report.Level > 0 { // an adapter that does not even start is not tested for leaks
		l.o.progress("the contract tests of faults and leaks")
		rest, err := runTests(ctx, l, l.draft, contract.Options{MinLevel: varied + 1})
		if err != nil {
			return nil, err
		}
		report.Add(rest)
	}
	noteReport(l, report)
	return report, ctx.Err()
}

// fixUntil varies failed keys until no variation is left, and returns the final report. When the time
// is over, a last round only leaves samples out.
func fixUntil(ctx context.Context, l *lab, report *contract.Report, until time.Time) (*contract.Report, error) {
	noteReport(l, report)
	given := map[string]bool{}
	for last := false; ctx.Err() == nil && !last; {
		last = time.Now().After(until)
		changed, err := fixAll(ctx, l, report, given, until)
		if err != nil || !changed {
			return report, err
		}
		if report, err = allTests(ctx, l, l.draft, nil); err != nil {
			return nil, err
		}
	}
	return report, ctx.Err()
}

// tryWeaker tries the weaker ways to announce prompts if the preferred one did not reach a high
// level, and keeps a better one.
func tryWeaker(ctx context.Context, l *lab, report *contract.Report, untried []*candidate, until time.Time) (*contract.Report, error) {
	before := l.draft
	other, err := strongestOf(ctx, l, untried)
	if err != nil {
		return nil, err
	}
	if other, err = fixUntil(ctx, l, other, until); err != nil {
		return nil, err
	}
	if other.Level <= report.Level {
		l.draft = before
		return report, nil
	}
	return other, nil
}

// fixAll tries to fix each failed test, lowest level first, and reports whether the draft changed.
// A key that was tried once is given up; when the time for variations is over, failing samples are
// left out.
func fixAll(ctx context.Context, l *lab, report *contract.Report, given map[string]bool, until time.Time) (changed bool, err error) {
	for failed := lowestFailure(report, given); failed != nil; failed = lowestFailure(report, given) {
		given[failed.Name] = true
		l.o.progress("again: " + failed.Name)
		mended, err := fix(ctx, l, failed, changed, time.Now().Before(until))
		if err != nil {
			return changed, err
		}
		changed = changed || mended
	}
	return changed, ctx.Err()
}

// varied is the highest level of tests about keys that are varied. Tests above it, of faults and
// leaks, take the longest and run once, on the final draft.
const varied = 3

// lowestFailure returns the failed test of the lowest level that was not given up.
func lowestFailure(r *contract.Report, given map[string]bool) (found *contract.TestResult) {
	for i, t := range r.Tests {
		if (t.Status == contract.Failed || t.Status == contract.Errored) && !given[t.Name] && (found == nil || t.Level < found.Level) {
			found = &r.Tests[i]
		}
	}
	return found
}

// fix tries the variations of a failed test concurrently and, if none passes, leaves out the
// samples that it needs. If the draft has changed since the failure, it is tested unchanged first.
func fix(ctx context.Context, l *lab, failed *contract.TestResult, changed, vary bool) (bool, error) {
	var list []*candidate
	if changed {
		list = append(list, &candidate{what: "as it is now", draft: l.draft})
	}
	before := string(l.draft.yaml())
	for _, v := range variations(l, failed.Name) {
		d := l.draft.clone()
		v.apply(d)
		if vary && string(d.yaml()) != before {
			list = append(list, &candidate{what: v.what, draft: d})
		}
	}
	filter := regexp.MustCompile("^(?:probe|prints the given text|" + regexp.QuoteMeta(failed.Name) + ")$")
	passed, err := firstClean(ctx, l, list, contract.Options{Filter: filter, FailFast: true, Timeout: 6 * time.Second})
	if err != nil {
		return false, err
	}
	for _, c := range list {
		if c.report != nil {
			l.log.say("varied for %q: %s: passes: %v", failed.Name, c.what, clean(c.report))
		}
	}
	if passed == nil {
		return doWithout(l, failed), nil
	}
	mended := passed.draft != l.draft
	l.draft = passed.draft
	return mended, nil
}
