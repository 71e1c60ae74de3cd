package loop

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/record"
)

func TestDone(t *testing.T) {
	var (
		working  = said{block: &block{Status: "IN_PROGRESS"}}
		done     = said{block: &block{Status: "COMPLETE"}}
		exit     = said{block: &block{Status: "COMPLETE", ExitSignal: true}}
		goesOn   = said{block: &block{Status: "IN_PROGRESS", ExitSignal: true}}
		blocked  = said{block: &block{Status: "BLOCKED"}}
		promise  = said{promise: true}
		testing_ = said{block: &block{Status: "IN_PROGRESS", WorkType: "TESTING"}, onlyTests: true}
		mixed    = said{block: &block{Status: "IN_PROGRESS", WorkType: "TESTING"}}
		denied   = said{block: &block{Status: "COMPLETE", ExitSignal: true}, denied: true}
		deniedAs = said{promise: true, denied: true}
		failed   = said{block: &block{Status: "COMPLETE", ExitSignal: true}, failed: true}
		failing  = said{block: &block{Status: "COMPLETE", ExitSignal: true, Tests: "FAILING"}}
		silent   = said{}
		both     = said{promise: true, block: &block{Status: "IN_PROGRESS", NotDone: true}}
		agrees   = said{promise: true, block: &block{Status: "COMPLETE", ExitSignal: true}}
	)
	tests := []struct {
		name  string
		turns []said
		plan  record.Plan
		want  string
	}{
		// The Ralph reference's table of indicators and EXIT_SIGNAL.
		{"2 indicators, EXIT_SIGNAL true", []said{done, exit}, record.Plan{}, "project_complete"},
		{"2 indicators, EXIT_SIGNAL false", []said{exit, done}, record.Plan{}, ""},
		{"2 indicators, EXIT_SIGNAL missing", []said{done, done}, record.Plan{}, ""},
		{"1 indicator, EXIT_SIGNAL true", []said{exit}, record.Plan{}, ""},
		{"0 indicators, EXIT_SIGNAL true", []said{goesOn, goesOn}, record.Plan{}, ""},
		{"STATUS: COMPLETE with EXIT_SIGNAL: false continues", []said{done, done, done, done}, record.Plan{}, ""},
		{"indicators that are not consecutive", []said{exit, working, exit}, record.Plan{}, ""},
		{"a turn without a block resets the count", []said{exit, silent, exit}, record.Plan{}, ""},
		{"open tasks do not outvote the signal", []said{exit, exit}, record.Plan{Open: 1}, "project_complete"},
		{"a promise is an indicator", []said{promise, exit}, record.Plan{Open: 1}, "project_complete"},
		{"a failed turn claims nothing", []said{exit, failed}, record.Plan{}, ""},
		{"a denied turn never completes", []said{exit, denied}, record.Plan{}, ""},
		{"a turn whose tests fail never completes", []said{failing, failing}, record.Plan{Ticked: 1}, ""},
		{"a turn whose tests fail is not an indicator", []said{failing, exit}, record.Plan{}, ""},
		{"a turn whose tests fail resets the count", []said{exit, denied, exit}, record.Plan{}, ""},

		{"the promise, no plan", []said{promise}, record.Plan{}, "project_complete"},
		{"the promise, nothing open", []said{promise}, record.Plan{Ticked: 2}, "project_complete"},
		{"the promise, a task open", []said{promise}, record.Plan{Open: 1, Ticked: 2}, ""},
		{"the promise of an earlier turn", []said{promise, working}, record.Plan{}, ""},
		{"the promise, and EXIT_SIGNAL: false in the same answer", []said{both, both}, record.Plan{}, ""},
		{"the promise, and EXIT_SIGNAL: true in the same answer", []said{agrees}, record.Plan{}, "project_complete"},
		{"the promise of a denied turn", []said{deniedAs}, record.Plan{}, ""},

		{"every box checked", []said{working}, record.Plan{Ticked: 3}, "plan_complete"},
		{"every box checked, a denied turn", []said{denied}, record.Plan{Ticked: 3}, ""},
		{"every box checked, a failed turn", []said{failed}, record.Plan{Ticked: 3}, ""},
		{"every box checked, a failed turn and another one", []said{failed, working}, record.Plan{Ticked: 3}, "plan_complete"},
		{"every box checked at the start", nil, record.Plan{Ticked: 3}, "plan_complete"},
		{"no box", []said{working}, record.Plan{}, ""},
		{"one box open", []said{working}, record.Plan{Open: 1, Ticked: 2}, ""},

		{"3 turns of tests", []said{testing_, testing_, testing_}, record.Plan{Open: 1}, "test_saturation"},
		{"2 turns of tests", []said{testing_, testing_}, record.Plan{Open: 1}, ""},
		{"tests and other changes", []said{testing_, testing_, mixed}, record.Plan{Open: 1}, ""},
		{"not in a row", []said{testing_, testing_, working, testing_}, record.Plan{Open: 1}, ""},

		{"blocked twice", []said{blocked, blocked}, record.Plan{Open: 1}, "blocked"},
		{"blocked once", []said{blocked}, record.Plan{Open: 1}, ""},
		{"blocked, worked, blocked", []said{blocked, working, blocked}, record.Plan{Open: 1}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var g gate
			for _, s := range tt.turns {
				g.note(s)
			}
			assert.Equal(t, tt.want, g.decide(tt.plan))
		})
	}
}

func TestOnlyTests(t *testing.T) {
	tests := []struct {
		path string
		want bool
	}{
		{"pkg/a_test.go", true},
		{"tests/a.py", true},
		{"src/test/java/A.java", true},
		{"src/__tests__/a.js", true},
		{"a.spec.ts", true},
		{"test_a.py", true},
		{"testdata/a.txt", true},
		{".ralph/@fix_plan.md", true},
		{"main.go", false},
		{"latest.go", false},
		{"src/contest/a.go", false},
		{"inspect.py", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, onlyTests(&git.Tree{}, []string{tt.path}), tt.path)
	}
	assert.True(t, onlyTests(&git.Tree{}, nil))
	assert.False(t, onlyTests(&git.Tree{}, []string{"a_test.go", "a.go"}))
}
