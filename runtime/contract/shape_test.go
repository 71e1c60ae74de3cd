package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Random names that ripple generates are not part of the shape, even if they occur in the
// text.
func TestShapeWithoutGeneratedNames(t *testing.T) {
	want := "[opening /tmp/#/#.sml]\nval it = {text} : int\n"
	for _, output := range []string{
		"[opening /tmp/ripple-17354-2259513031/.ripple-exec-33794558c23aa134.sml]\nval it = 513 : int\n",
		"[opening /tmp/ripple-5132-99/.ripple-exec-aaaa513bbbbbbbbb.sml]\nval it = 513 : int\n",
	} {
		assert.Equal(t, want, shape(output, "513"))
	}
}
