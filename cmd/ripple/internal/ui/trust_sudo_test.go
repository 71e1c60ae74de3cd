package ui

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/layout"
)

// Root through sudo who answers a question with yes writes no mark into a loop's directory of another user.
func TestAnApprovalThroughSudoMarksNoLoop(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to another user")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SUDO_UID", "")
	for caller, marked := range map[string]bool{"65534": false, "": true} {
		project, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(project, layout.Dir), 0o700))
		require.NoError(t, os.Chown(project, 65534, 65534))
		t.Setenv("SUDO_UID", caller)
		a := NewApp(nil, io.Discard, io.Discard, func(error) {})
		other := trust.New(trust.Settings, filepath.Join(project, "ripple.yml"), []string{"x"}, nil)
		record, err := a.Trust.Record(trust.Record{Project: project}, append(LoopItems(project), other))
		require.NoError(t, err)
		assert.True(t, record.Has(other))
		assert.Equal(t, marked, len(record.Missing(LoopItems(project))) == 0)
		assert.Equal(t, marked, layout.Files(project).Exists(layout.MarkFile))
	}
}
