package session_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// The startup file contains the nonce, and a block contains the user's code: no other user can read
// them, whatever the umask is.
func TestStagedFilesArePrivate(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, name := range []string{"bash", "zsh"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name, session.Options{})
			list := `ls -l "$TMPDIR"/ripple-*/.ripple-exec-*` + "\ntrue"
			assert.Regexp(t, `(?m)^-rw------- .*/\.ripple-exec-`, eval(t, s, list).Output, "the file of the block that runs")
			ours, err := filepath.Glob(filepath.Join(temp, "ripple-*"))
			require.NoError(t, err)
			require.NotEmpty(t, ours)
			for _, dir := range ours {
				require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
					require.NoError(t, err)
					info, err := d.Info()
					require.NoError(t, err)
					assert.Zero(t, info.Mode().Perm()&0o077, "%s: %v", path, info.Mode())
					return nil
				}))
			}
		})
	}
}
