package loopcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/journal"
)

// The advice for unreadable files differs from that for missing permissions.
func TestHintOfALoopsFiles(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: ".ralph/loop.lock", Err: fs.ErrPermission}
	for _, err := range []error{denied, fmt.Errorf("cannot lock: %w", denied), &journal.UnreadableError{Path: ".ralph/status.json", Err: denied}} {
		e, _ := errors.AsType[*ui.ExitError](reportError(err))
		assert.Equal(t, "run this as the owner of .ralph and the files in it", e.Hint, err)
	}
	e, _ := errors.AsType[*ui.ExitError](reportError(&journal.UnreadableError{Path: ".ralph/status.json", Err: errors.New("torn")}))
	assert.Contains(t, e.Hint, "remove .ralph/status.json")
}
