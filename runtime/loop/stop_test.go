package loop

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/internal/git"
)

// A disk that is full while git writes is not a conflict.
func TestStopForAFullDisk(t *testing.T) {
	full := &git.Error{Command: "commit", Said: "error: unable to write file a.txt: No space left on device", Code: 128}
	for _, err := range []error{full, gitStop("commit", full)} {
		s := stopFor(err)
		assert.Equal(t, ReasonError, s.Reason)
		assert.ErrorIs(t, s, syscall.ENOSPC)
	}
	assert.Equal(t, ReasonConflict, stopFor(gitStop("commit", &git.Error{Command: "commit", Said: "fatal: bad", Code: 128})).Reason)
}

// The next step depends on the cause.
func TestStopForPermission(t *testing.T) {
	s := stopFor(&fs.PathError{Op: "open", Path: ".ralph/loop.lock", Err: fs.ErrPermission})
	assert.Equal(t, ReasonError, s.Reason)
	assert.Equal(t, "Open .ralph/loop.lock: permission denied.", s.Message)
	assert.ErrorIs(t, s, fs.ErrPermission)
}
