package ui

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Who owns the files does not matter on a read-only file system.
func TestWriteHint(t *testing.T) {
	assert.Equal(t, WritableHint, WriteHint(&fs.PathError{Err: syscall.EROFS}, "other"))
	assert.Equal(t, "other", WriteHint(fs.ErrPermission, "other"))
}
