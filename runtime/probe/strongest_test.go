package probe

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/schema"
)

func reportOf(status ...contract.Status) *contract.Report {
	r := &contract.Report{}
	for _, s := range status {
		r.Tests = append(r.Tests, contract.TestResult{Name: "reports errors", Level: 2, Status: s})
	}
	return r
}

func (r *race) running() (list []bool) {
	for _, e := range r.runners {
		list = append(list, e.ctx.Err() == nil)
	}
	return list
}

func result(level int, status contract.Status) *contract.TestResult {
	return &contract.TestResult{Level: level, Status: status}
}

// A runner that has passed everything stops the weaker ones, and the stronger ones that have
// failed; a stronger one that has not failed continues until it does.
func TestARaceOfCandidates(t *testing.T) {
	r := newRace(t.Context(), 4)
	r.testDone(0, result(2, contract.Failed))
	assert.True(t, r.mayStart(), "the first one may not be good enough")
	assert.Equal(t, []bool{true, true, true, true}, r.running(), "the others may fail, too")
	r.runnerDone(2, true)
	assert.Equal(t, []bool{false, true, true, false}, r.running())
	r.testDone(1, result(3, contract.Failed))
	assert.Equal(t, []bool{false, false, true, false}, r.running())
	r.stop()
	assert.Equal(t, []bool{false, false, false, false}, r.running())
}

// Failures of the strongest runner at the higher level may be fixed by variations: the others need
// not start.
func TestTheStrongestIsPreferred(t *testing.T) {
	for _, won := range []bool{true, false} {
		r := newRace(t.Context(), 2)
		r.testDone(0, result(1, contract.Passed))
		r.testDone(0, result(varied, contract.Failed))
		r.runnerDone(0, won)
		assert.False(t, r.mayStart())
		r.stop()
	}
}

// If the first runner is slow to start, the others do not wait for it.
func TestTheOthersStartIfTheFirstIsLate(t *testing.T) {
	for _, starts := range []bool{true, false} {
		r := newRace(t.Context(), 2)
		if starts {
			r.testDone(0, result(1, contract.Passed))
		}
		r.firstIsLate()
		r.runnerDone(0, true)
		assert.Equal(t, !starts, r.mayStart())
		r.stop()
	}
}

// A runner that does not reach its first prompt is stopped once another one has.
func TestACandidateThatDoesNotStart(t *testing.T) {
	r := newRace(t.Context(), 2)
	r.testDone(0, result(1, contract.Failed))
	assert.Equal(t, []bool{true, true}, r.running(), "the other one may fail to start, too")
	r.testDone(1, result(1, contract.Passed))
	assert.Equal(t, []bool{false, true}, r.running())
	r.stop()
}

// Of variations tested concurrently, the first one that passes wins, once it is certain that none
// before it passes.
func TestTheFirstVariationThatPasses(t *testing.T) {
	passed, failed := reportOf(contract.Passed), reportOf(contract.Failed)
	for _, c := range []struct {
		name    string
		reports []*contract.Report
		want    int
	}{
		{"the first", []*contract.Report{passed, nil, nil}, 0},
		{"one before it is running", []*contract.Report{nil, passed, nil}, -1},
		{"all before it failed", []*contract.Report{failed, reportOf(contract.Errored), passed}, 2},
		{"a stopped one did not pass", []*contract.Report{reportOf(contract.Passed, contract.Skipped), nil}, -1},
		{"none", []*contract.Report{failed, reportOf()}, -1},
	} {
		list := make([]*candidate, len(c.reports))
		for i, r := range c.reports {
			list[i] = &candidate{report: r}
		}
		var want *candidate
		if c.want >= 0 {
			want = list[c.want]
		}
		assert.Same(t, want, firstOf(list), c.name)
	}
}

// A variation that does not produce a valid adapter does not pass, and does not end the others.
func TestAVariationWithoutAValidAdapter(t *testing.T) {
	l := evaluating(t, "constant")
	conclude(l)
	broken := l.draft.clone()
	broken.plain("prompt.primary", "(")
	good := &candidate{what: "good", draft: l.draft}
	found, err := firstClean(t.Context(), l, []*candidate{{what: "broken", draft: broken}, good}, contract.Options{MaxLevel: 1})
	require.NoError(t, err)
	assert.Same(t, good, found, l.log.b.String())
	assert.Contains(t, l.log.b.String(), "varied: broken: the generated adapter is not valid")
}

// When the time for variations is over, failing samples are left out.
func TestWithoutTimeASampleIsOmitted(t *testing.T) {
	l := &lab{draft: newDraft(Options{Name: "x", Command: []string{"x"}}), log: newEvidence("x")}
	l.tongue.language.Samples = map[string][]string{"error": {"another"}}
	l.draft.plain("samples.error", "oops")
	changed, err := fixAll(t.Context(), l, reportOf(contract.Failed), map[string]bool{}, l.log.began)
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Contains(t, string(l.draft.yaml()), "# could not find out: samples.error: tried oops")
}

// If the preferred way does not reach a high level, the others are tried after all.
func TestAWeakerWayThatReachesAHigherLevel(t *testing.T) {
	l := evaluating(t, "constant")
	conclude(l)
	weaker := &candidate{what: "a prompt known by a pattern", draft: l.draft}
	l.draft = l.draft.clone()
	l.draft.plain("prompt.primary", "^never> $")
	report, err := tryWeaker(t.Context(), l, &contract.Report{Level: 1}, []*candidate{weaker}, l.log.began)
	require.NoError(t, err)
	assert.Equal(t, varied, report.Level, l.log.b.String())
	assert.Equal(t, "^toy> $", adapter(t, l.draft.yaml()).Prompt.Primary)
}

// A block is not used as a sample if nothing takes back its first line.
func TestABlockThatCannotBeWithdrawn(t *testing.T) {
	const block = "begin\nend"
	for _, c := range []struct {
		name  string
		l     lab
		block string
		want  bool
	}{
		{"nothing contradicts it", lab{}, block, false},
		{"nothing returned to the prompt", lab{unfinished: unfinished{tried: true}}, block, true},
		{"something did", lab{unfinished: unfinished{tried: true, escape: ctrlC}}, block, false},
		{"the two silences cannot be distinguished", lab{standing: standing{}, silent: true}, block, true},
		{"a line is not a block", lab{silent: true}, "begin end", false},
		{"brackets are counted before it is sent", lab{silent: true, tongue: trial{language: language{Brackets: map[string]any{"open": []any{"("}}}}}, block, false},
	} {
		assert.Equal(t, c.want, cannotWithdraw(&c.l, c.block), c.name)
	}
}

// A declaration is also tried with a variable that no other language has declared before.
func TestAVariableDeclaredByAnotherLanguage(t *testing.T) {
	l := evaluating(t, "strict")
	_, err := l.eval(t.Context(), "var v = 1")
	require.NoError(t, err)
	l.startup = 0
	tried := trial{found: map[string]string{}, language: language{Samples: map[string][]string{"set_var": {"v = {n}", "var v = {n}"}, "get_var": {"v"}}}}
	require.NoError(t, tryVariable(t.Context(), l, &tried))
	assert.Equal(t, "var v = {n}", tried.found["set_var"], l.log.b.String())
}

// If the prompt's end is announced, too, text of a program that looks like a prompt is not one; if
// a marker asks for the rest, patterns do not. A program that keeps working after its prompt is not
// waited for.
func TestMarkersAnnouncedByHooks(t *testing.T) {
	for _, c := range []struct {
		name, script, marks string
		printable, pattern  bool
	}{
		{"the beginning of a prompt", "A", "A", true, true},
		{"its end", "A B", "AB", false, true},
		{"and that more input is expected", "]633;F;{nonce}", "AB", false, false},
	} {
		d := newDraft(Options{Name: "x", Command: []string{"x"}})
		d.plain("prompt.continuation", "^more$")
		h := hooks{script: c.script, marks: c.marks, latest: 2_000_000_000}
		h.apply(d)
		a := adapter(t, d.yaml())
		assert.Equal(t, schema.PromptShellIntegration, a.Prompt.Strategy)
		assert.Equal(t, c.printable, a.Prompt.ShellIntegration.Printable, c.name)
		assert.Equal(t, c.pattern, a.Prompt.Continuation != "", c.name)
		assert.Equal(t, 2000, a.Ready.OutputSettledMaxMS)
	}
}
