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
		err := claim(a, "auto")(project)
		assert.Equal(t, refused, err != nil, "%v", err)
		_, err = os.Stat(filepath.Join(project, layout.Dir))
		assert.Equal(t, refused, os.IsNotExist(err))
	}
}
