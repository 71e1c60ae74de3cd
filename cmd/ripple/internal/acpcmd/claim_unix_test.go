//go:build unix

package acpcmd

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
)

// Root with plain sudo writes nothing in a project of another user.
func TestSudoClaimsNoProject(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("giving a directory to another user needs root")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for caller, refused := range map[string]bool{"65534": true, "": false} {
		project := t.TempDir()
		require.NoError(t, os.Chown(project, 65534, 65534))
		a := ui.NewApp(nil, io.Discard, io.Discard, func(error) {})
		a.Getenv = func(name string) string {
			if name == "SUDO_UID" {
				return caller
			}
			return os.Getenv(name)
		}
		err := claim(a, "auto", nil)(project)
		assert.Equal(t, refused, err != nil, "%v", err)
		_, err = os.Stat(filepath.Join(project, layout.Dir))
		assert.Equal(t, refused, os.IsNotExist(err))
	}
}

// An agent that plays a script needs no approval for a new loop beside files that the project brought. The next prompt of a run that is
// recorded does: it is passed to the agent of that run.
func TestAPlayerNeedsApprovalForARecordedRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, tt := range []struct {
		agent    string
		args     []string
		recorded bool
		accepted bool
	}{
		{"rehearsal", nil, false, true},
		{"rehearsal", []string{"--max-turns", "3"}, false, true},
		{"rehearsal", nil, true, false},
		{"rehearsal", []string{"--fallback", "claude"}, false, false},
		{"rehearsal", []string{"--adapter=claude"}, false, false},
		{"auto", nil, false, false},
	} {
		project := t.TempDir()
		home := filepath.Join(project, layout.Dir)
		require.NoError(t, os.Mkdir(home, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(home, layout.TaskFile), []byte("theirs"), 0o644))
		if tt.recorded {
			const run = `{"type":"run_started","time":"2026-01-02T03:04:05Z","state":{},"settings":{}}` + "\n"
			require.NoError(t, os.WriteFile(filepath.Join(home, layout.EventsFile), []byte(run), 0o644))
		}
		a := ui.NewApp(nil, io.Discard, io.Discard, func(error) {})
		a.Getenv = os.Getenv
		err := claim(a, tt.agent, tt.args)(project)
		assert.Equal(t, tt.accepted, err == nil, "%+v: %v", tt, err)
	}
}
