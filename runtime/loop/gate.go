package loop

import (
	"fmt"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/record"
)

// Numbers of consecutive turns that open the gate.
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

// gate implements the exit gate on the state's record.
type gate record.Gate

// said is the input of the gate for one turn.
type said struct {
	block   *block
	promise bool
	denied  bool
	failed  bool

	hat       string // that took the turn; "" for none
	uncounted string // the reason that its promise does not count
	onlyTests bool   // only tests and the loop's own files changed
}

// note applies a turn. A claim does not count if the turn failed, was denied a tool or reports
// failing tests.
func (g *gate) note(s said) {
	b := block{}
	if s.block != nil && !s.failed {
		b = *s.block
	}
	g.Failing, g.Failed = b.Tests == testsFailing, s.failed
	s.promise = s.promise && !s.block.denies() // an explicit denial has precedence
	g.Claimed = s.block != nil && (s.block.Status == statusComplete || s.block.ExitSignal) || s.promise
	claims := !s.failed && !s.denied && !g.Failing
	g.ExitSignal = claims && b.ExitSignal
	g.Promise = claims && s.promise
	g.By, g.Denied, g.Uncounted = s.hat, s.denied, s.uncounted
	g.Indicators = count(g.Indicators, claims && (b.Status == statusComplete || s.promise))
	g.TestTurns = count(g.TestTurns, claims && b.WorkType == workTesting && s.onlyTests)
	g.Blocked = count(g.Blocked, b.Status == statusBlocked)
}

// count increments or resets a count of consecutive turns.
func count(n int, goesOn bool) int {
	if goesOn {
		return n + 1
	}
	return 0
}

// speaker names who took the last turn, and so made its claim.
func (g *gate) speaker() string {
	if g.By == "" {
		return "the agent"
	}
	return "the hat " + g.By
}

// openTasks says which tasks of the plan, whose path is name, keep the promise of the last turn from counting; "" if none do.
func (g *gate) openTasks(p record.Plan, name string) string {
	if !g.Promise || p.Open == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d tasks in %s are open", p.Open, p.Open+p.Ticked, name)
}

// decide returns the reason to stop the loop, or "" to continue.
func (g *gate) decide(p record.Plan) string {
	switch {
	case g.Blocked >= blockedToStop:
		return ReasonBlocked
	case g.Denied, g.Failing, g.Failed: // a plan that the turn ticked is looked at again
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

// testPath matches the usual names of test files and directories.
var testPath = lazyregexp.New(`(?i)(^|/)(tests?|specs?|testdata|__tests__|__snapshots__|e2e|fixtures)/|(^|[/._-])(test|tests|spec)([._-]|$)|(^|/)conftest\.py$`)

// onlyTests reports whether only tests and loop files changed.
func onlyTests(t *git.Tree, changed []string) bool {
	for _, path := range changed {
		path = t.FromProject(path)
		if !testPath().MatchString(path) && !layout.IsLoops(path) {
			return false
		}
	}
	return true
}
