package loop

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/loop/record"
)

// A user who answers is watching the loop: turns that only ask do not open its circuit.
func TestAnAnswerForgivesTurnsWithoutAChange(t *testing.T) {
	s := record.State{Breaker: record.Breaker{State: record.Closed, NoProgress: 2, PermissionDenials: 1}}
	s.Memory.Unchanged = 2
	settled(&s, record.Question{})
	assert.Equal(t, []int{0, 0, 0}, []int{s.Breaker.NoProgress, s.Breaker.PermissionDenials, s.Memory.Unchanged})
}
