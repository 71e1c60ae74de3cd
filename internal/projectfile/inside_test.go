package projectfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A link may lead to another file of the repository, and to nothing outside of it.
func TestInside(t *testing.T) {
	for what, c := range map[string]struct {
		target  string // from the directory sub of the project
		git     bool
		refused bool
	}{
		"the same directory":                 {"real", false, false},
		"above, in the repository":           {"../shared", true, false},
		"above, without a repository":        {"../shared", false, true},
		"out of the repository":              {"../../outside", true, true},
		"missing":                            {"none", true, false},
		"through a directory that is linked": {"../linked/f", true, true},
	} {
		t.Run(what, func(t *testing.T) {
			base := t.TempDir()
			top := filepath.Join(base, "project")
			sub := filepath.Join(top, "sub")
			require.NoError(t, os.MkdirAll(sub, 0o700))
			require.NoError(t, os.Mkdir(filepath.Join(base, "d"), 0o700))
			for _, file := range []string{"outside", "d/f", "project/shared", "project/sub/real"} {
				require.NoError(t, os.WriteFile(filepath.Join(base, file), nil, 0o600))
			}
			require.NoError(t, os.Symlink("../d", filepath.Join(top, "linked")))
			if c.git {
				require.NoError(t, os.Mkdir(filepath.Join(top, ".git"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(top, ".git", "HEAD"), nil, 0o600))
			}
			path := filepath.Join(sub, "f")
			require.NoError(t, os.Symlink(filepath.FromSlash(c.target), path))
			entry := filepath.Join(base, "entry") // a user may enter the project through a link
			require.NoError(t, os.Symlink(sub, entry))
			assert.Equal(t, c.refused, Inside(entry, filepath.Join(entry, "f")) != nil)
			err := Inside(sub, path)
			if !c.refused {
				require.NoError(t, err)
				return
			}
			_, is := errors.AsType[*RefusedError](err)
			require.True(t, is, "%v", err)
			assert.ErrorContains(t, err, "leads out of the project")
		})
	}
}
