package box

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// More mounts than bubblewrap accepts are refused, whatever they are for.
func TestTooManyMounts(t *testing.T) {
	l := layout{}
	for i := range maxMounts {
		l.add("ro-bind", "/x", fmt.Sprintf("/tree/submodule%d/.git", i))
	}
	args, err := l.args("/tree")
	assert.NoError(t, err)
	assert.Less(t, len(args), 9000)
	l.addOwn(&Policy{}, "/ripple", "/proxy")
	_, err = l.args("/tree")
	assert.ErrorIs(t, err, ErrPolicy)
}
