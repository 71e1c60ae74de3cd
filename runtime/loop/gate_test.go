package loop

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"ripple/runtime/internal/git"
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
	)
	tests := []struct {
		name  string
		turns []said
		plan  plan
		want  string
	}{
		// The seed's table of indicators and EXIT_SIGNAL.
		{"2 indicators, EXIT_SIGNAL true", []said{done, exit}, plan{}, "project_complete"},
		{"2 indicators, EXIT_SIGNAL false", []said{exit, done}, plan{}, ""},
		{"2 indicators, EXIT_SIGNAL missing", []said{done, done}, plan{}, ""},
		{"1 indicator, EXIT_SIGNAL true", []said{exit}, plan{}, ""},
		{"0 indicators, EXIT_SIGNAL true", []said{goesOn, goesOn}, plan{}, ""},
		{"STATUS: COMPLETE with EXIT_SIGNAL: false continues", []said{done, done, done, done}, plan{}, ""},
		{"indicators not in a row", []said{exit, working, exit}, plan{}, ""},
		{"a turn without a block ends the row", []said{exit, silent, exit}, plan{}, ""},
		{"open tasks do not outvote the signal", []said{exit, exit}, plan{open: 1}, "project_complete"},
		{"a promise is an indicator", []said{promise, exit}, plan{open: 1}, "project_complete"},
		{"a failed turn claims nothing", []said{exit, failed}, plan{}, ""},
		{"a denied turn never completes", []said{exit, denied}, plan{}, ""},
		{"a turn whose tests fail never completes", []said{failing, failing}, plan{ticked: 1}, ""},
		{"and is no indicator", []said{failing, exit}, plan{}, ""},
		{"and ends the row", []said{exit, denied, exit}, plan{}, ""},

		{"the promise, no plan", []said{promise}, plan{}, "project_complete"},
		{"the promise, nothing open", []said{promise}, plan{ticked: 2}, "project_complete"},
		{"the promise, a task open", []said{promise}, plan{open: 1, ticked: 2}, ""},
		{"the promise of an earlier turn", []said{promise, working}, plan{}, ""},
		{"the promise of a denied turn", []said{deniedAs}, plan{}, ""},

		{"every box ticked", []said{working}, plan{ticked: 3}, "plan_complete"},
		{"every box ticked, a denied turn", []said{denied}, plan{ticked: 3}, ""},
		{"every box ticked at the start", nil, plan{ticked: 3}, "plan_complete"},
		{"no box", []said{working}, plan{}, ""},
		{"one box open", []said{working}, plan{1, 2}, ""},

		{"3 turns of tests", []said{testing_, testing_, testing_}, plan{open: 1}, "test_saturation"},
		{"2 turns of tests", []said{testing_, testing_}, plan{open: 1}, ""},
		{"tests and other changes", []said{testing_, testing_, mixed}, plan{open: 1}, ""},
		{"not in a row", []said{testing_, testing_, working, testing_}, plan{open: 1}, ""},

		{"blocked twice", []said{blocked, blocked}, plan{open: 1}, "blocked"},
		{"blocked once", []said{blocked}, plan{open: 1}, ""},
		{"blocked, worked, blocked", []said{blocked, working, blocked}, plan{open: 1}, ""},
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
