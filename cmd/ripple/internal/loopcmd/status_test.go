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

// The exit codes of "ripple status --exit-code" for loops that have not stopped: for others, the scripts of cmd/ripple compare
// them with the exit codes of the runs.
func TestExitCodesOfStates(t *testing.T) {
	code := ui.ExitLimit
	for _, tt := range []struct {
		state string
		code  *int // of the run before
		want  int
	}{
		{"running", nil, ui.ExitOK},
		{"running", &code, ui.ExitOK},
		{"needs_you", nil, ui.ExitBlocked},
		{"needs_you", &code, ui.ExitBlocked},
		{"not_started", nil, ui.ExitMissing},
		{"blocked", nil, ui.ExitFailed}, // it was killed
		{"blocked", &code, code},
		{"unknown", nil, ui.ExitFailed},
	} {
		assert.Equal(t, tt.want, stateCode(journal.Report{State: tt.state}, journal.Run{ExitCode: tt.code}), tt.state)
	}
}
