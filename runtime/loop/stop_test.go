package loop

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The next step depends on the cause.
func TestStopForPermission(t *testing.T) {
	s := stopFor(&fs.PathError{Op: "open", Path: ".ralph/loop.lock", Err: fs.ErrPermission})
	assert.Equal(t, ReasonError, s.Reason)
	assert.Equal(t, "Open .ralph/loop.lock: permission denied.", s.Message)
	assert.ErrorIs(t, s, fs.ErrPermission)
}
