package loop

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/loop/record"
)

func TestContext(t *testing.T) {
	tests := []struct {
		name string
		a    about
		want string
	}{
		{"the first turn", about{turn: 1, maxTurns: 100, breaker: record.Closed}, "Turn 1 of at most 100."},
		{
			"all of it",
			about{project: "ark (rust)", turn: 7, maxTurns: 9, plan: record.Plan{Open: 2, Ticked: 3}, planPath: ".ralph/@fix_plan.md", breaker: record.HalfOpen, last: "made\nprogress", verify: "`make test`: exit code 2: FAIL x"},
			"Turn 7 of at most 9.\nProject: ark (rust).\nOpen tasks in .ralph/@fix_plan.md: 2 of 5.\nCircuit breaker: HALF_OPEN: this turn must make progress.\n" +
				"Not done yet, the check failed: `make test`: exit code 2: FAIL x\nLast turn: made progress",
		},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, tt.a.context(), tt.name)
	}
}

func TestContextIsShort(t *testing.T) {
	a := about{project: strings.Repeat("p", 900), turn: 1 << 40, maxTurns: 1 << 40, plan: record.Plan{Open: 1 << 40, Ticked: 0}, breaker: record.Open, last: strings.Repeat("ü ", 900), verify: strings.Repeat("é", 9000)}
	assert.LessOrEqual(t, utf8.RuneCountInString(a.context()), 500)
	assert.True(t, utf8.ValidString(a.context()))
}
