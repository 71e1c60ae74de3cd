package probe

import (
	"cmp"
	"context"
	"regexp"
	"time"

	"ripple/runtime/contract"
)

// prove is experiment 10: the adapter's contract tests. Keys that fail are varied and tried
// again; what no variation mends is left out where it is a sample, with the reason.
func prove(ctx context.Context, l *lab) (*contract.Report, error) {
	l.log.experiment(10, "the contract tests, and variations of what fails")
	l.o.progress("the contract tests")
	report, untried, err := strongest(ctx, l)
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(cmp.Or(l.o.Variations, 30*time.Second))
	if report, err = mended(ctx, l, report, until); err != nil {
		return nil, err
	}
	if report.Level < varied && len(untried) > 0 && time.Now().Before(until) {
		if report, err = otherwise(ctx, l, report, untried, until); err != nil {
			return nil, err
		}
	}
	if report.Level > 0 { // what does not even start is tested for no leaks
		l.o.progress("the contract tests of faults and leaks")
		rest, err := runTests(ctx, l, l.draft, contract.Options{From: varied + 1})
		if err != nil {
			return nil, err
		}
		report.Add(rest)
	}
	noteReport(l, report)
	return report, ctx.Err()
}

// mended has what fails varied until nothing is left to try, and gives the report of what
// came of it. When the time for that is over there is one more round, which only leaves out.
func mended(ctx context.Context, l *lab, report *contract.Report, until time.Time) (*contract.Report, error) {
	noteReport(l, report)
	given := map[string]bool{}
	for last := false; ctx.Err() == nil && !last; {
		last = time.Now().After(until)
		changed, err := mendAll(ctx, l, report, given, until)
		if err != nil || !changed {
			return report, err
		}
		if report, err = allTests(ctx, l, l.draft, nil); err != nil {
			return nil, err
		}
	}
	return report, ctx.Err()
}

// otherwise tries the ways to announce prompts that a stronger one was preferred to, where
// that one did not get far, and keeps what gets farther.
func otherwise(ctx context.Context, l *lab, report *contract.Report, untried []*candidate, until time.Time) (*contract.Report, error) {
	before := l.draft
	other, err := strongestOf(ctx, l, untried)
	if err != nil {
		return nil, err
	}
	if other, err = mended(ctx, l, other, until); err != nil {
		return nil, err
	}
	if other.Level <= report.Level {
		l.draft = before
		return report, nil
	}
	return other, nil
}

// mendAll tries to mend each test that failed, those of the lowest level first, and says
// whether the draft is another one now. What was tried once is given up; when the time for
// variations is over, the adapter does without what fails.
func mendAll(ctx context.Context, l *lab, report *contract.Report, given map[string]bool, until time.Time) (changed bool, err error) {
	for failed := worst(report, given); failed != nil; failed = worst(report, given) {
		given[failed.Name] = true
		l.o.progress("again: " + failed.Name)
		mended, err := mend(ctx, l, failed, changed, time.Now().Before(until))
		if err != nil {
			return changed, err
		}
		changed = changed || mended
	}
	return changed, ctx.Err()
}

// varied is the highest level whose tests are about keys that are varied. Those above it, of
// faults and leaks, take the longest: they are run once, of what came out.
const varied = 3

// worst is the failed test of the lowest level that was not given up.
func worst(r *contract.Report, given map[string]bool) (found *contract.TestResult) {
	for i, t := range r.Tests {
		if (t.Status == contract.Failed || t.Status == contract.Errored) && !given[t.Name] && (found == nil || t.Level < found.Level) {
			found = &r.Tests[i]
		}
	}
	return found
}

// mend tries the variations of a failed test side by side, and in the end does without what
// it needs. The draft may have changed since it failed: then it comes first as it is.
func mend(ctx context.Context, l *lab, failed *contract.TestResult, changed, vary bool) (bool, error) {
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
	filter := regexp.MustCompile("^(?:probe|prints what it is told to|" + regexp.QuoteMeta(failed.Name) + ")$")
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
