package loop

import (
	"ripple/internal/lazyregexp"
	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Numbers of turns in a row after which the gate opens.
const (
	indicatorsToFinish = 2
	testTurnsToFinish  = 3
	blockedToStop      = 2
)

// Reasons with which the gate ends a loop.
const (
	ReasonProjectComplete = "project_complete"
	ReasonPlanComplete    = "plan_complete"
	ReasonTestSaturation  = "test_saturation"
	ReasonBlocked         = "blocked"
)

// gate decides with what the state has of these.
type gate record.Gate

// said is what one turn said.
type said struct {
	block     *block
	promise   bool
	denied    bool
	failed    bool
	onlyTests bool // nothing but tests and the loop's own files changed
}

// note takes in a turn. What a turn claims that failed, was denied something or
// says that its tests fail is no claim.
func (g *gate) note(s said) {
	b := block{}
	if s.block != nil && !s.failed {
		b = *s.block
	}
	g.Failing = b.Tests == testsFailing
	g.Claimed = s.block != nil && (s.block.Status == statusComplete || s.block.ExitSignal) || s.promise
	claims := !s.failed && !s.denied && !g.Failing
	g.ExitSignal = claims && b.ExitSignal
	g.Promise = claims && s.promise
	g.Denied = s.denied
	g.Indicators = count(g.Indicators, claims && (b.Status == statusComplete || s.promise))
	g.TestTurns = count(g.TestTurns, claims && b.WorkType == workTesting && s.onlyTests)
	g.Blocked = count(g.Blocked, b.Status == statusBlocked)
}

// count goes on with a row or ends it.
func count(n int, goesOn bool) int {
	if goesOn {
		return n + 1
	}
	return 0
}

// decide says with which reason the loop is to stop, "" for going on.
func (g *gate) decide(p record.Plan) string {
	switch {
	case g.Blocked >= blockedToStop:
		return ReasonBlocked
	case g.Denied, g.Failing:
		return ""
	case g.Indicators >= indicatorsToFinish && g.ExitSignal, g.Promise && p.Open == 0:
		return ReasonProjectComplete
	case p.Complete():
		return ReasonPlanComplete
	case g.TestTurns >= testTurnsToFinish:
		return ReasonTestSaturation
	}
	return ""
}

// testPath is a file of tests by the usual names of files and directories.
var testPath = lazyregexp.New(`(?i)(^|/)(tests?|specs?|testdata|__tests__|__snapshots__|e2e|fixtures)/|(^|[/._-])(test|tests|spec)([._-]|$)|(^|/)conftest\.py$`)

// onlyTests says that no file changed but tests and those of the loop.
func onlyTests(t *git.Tree, changed []string) bool {
	for _, path := range changed {
		path = t.FromProject(path)
		if !testPath().MatchString(path) && !layout.IsLoops(path) {
			return false
		}
	}
	return true
}
