package adaptercmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names that a shell would execute are not completed; the characters of a pattern are escaped.
func TestCompletedTestsAreHarmless(t *testing.T) {
	names := []string{"adds 1 + 1", "a`touch x`", "a$(touch x)", "a;touch x", "a>x", "a<x", "a|x", "a&x", "!x", "a\nx"}
	assert.Equal(t, []string{`adds 1 \+ 1`, `a\$\(touch x\)`}, patternsOf(names))
}
