//go:build unix

package place

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A link or pipe in place of a console's files, which a project may bring with a home directory, is neither followed nor waited for.
func TestLinksAndPipesInPlaceOfFiles(t *testing.T) {
	kinds := map[string]func(t *testing.T, path, elsewhere string) error{
		"link": func(t *testing.T, path, elsewhere string) error {
			require.NoError(t, os.Mkdir(elsewhere, 0o700))
			return os.Symlink(elsewhere, path)
		},
		"link to a file": func(t *testing.T, path, elsewhere string) error {
			require.NoError(t, os.WriteFile(elsewhere, []byte("text"), 0o600))
			return os.Symlink(elsewhere, path)
		},
		"dangling link": func(_ *testing.T, path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"device":        func(_ *testing.T, path, _ string) error { return os.Symlink("/dev/zero", path) },
		"pipe":          func(_ *testing.T, path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	}
	for kind, create := range kinds {
		for _, of := range []string{"results", "lock"} {
			t.Run(kind+" for the "+of, func(t *testing.T) {
				env := map[string]string{"XDG_RUNTIME_DIR": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}
				getenv := func(name string) string { return env[name] }
				f, err := Of(getenv, "main")
				require.NoError(t, err)
				path, elsewhere := f.Record, filepath.Join(t.TempDir(), "elsewhere")
				if of == "lock" {
					path = f.Lock
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, create(t, path, elsewhere))
				before, _ := os.Stat(elsewhere)

				s := Spec{Name: "main"}
				_, err = s.ClaimName(getenv)
				require.ErrorContains(t, err, path)
				require.ErrorContains(t, err, "remove it")
				assert.False(t, f.kept())
				_ = f.Forget() // it removes a pipe
				after, _ := os.Stat(elsewhere)
				assert.Equal(t, before, after)
			})
		}
	}
}
