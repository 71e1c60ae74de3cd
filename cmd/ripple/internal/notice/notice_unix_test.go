//go:build unix

package notice

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cache that a project brings may have anything in place of the notice's files: nobody waits for it, and no link is followed.
func TestFilesOfTheNotice(t *testing.T) {
	address, _ := feed(t, 200, newer)
	for _, file := range []string{"update.json", "update.lock"} {
		for name, put := range map[string]func(path, outside string) error{
			"pipe":          func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
			"device":        func(path, _ string) error { return os.Symlink("/dev/zero", path) },
			"dangling link": func(path, outside string) error { return os.Symlink(outside, path) },
			"link": func(path, outside string) error {
				return errors.Join(os.WriteFile(outside, []byte(`{"latest":"v9.0.0"}`), 0o600), os.Symlink(outside, path))
			},
		} {
			n, outside := of(t, address), filepath.Join(t.TempDir(), "f")
			require.NoError(t, os.Mkdir(n.Dir, 0o700))
			require.NoError(t, put(filepath.Join(n.Dir, file), outside))
			assert.Empty(t, n.tell(), "%s %s", file, name)
			_ = n.ask(t.Context()) // which may refuse
			text, err := os.ReadFile(outside)
			if name == "link" {
				require.NoError(t, err)
				assert.Equal(t, `{"latest":"v9.0.0"}`, string(text), file)
			} else {
				assert.ErrorIs(t, err, os.ErrNotExist, "%s %s", file, name)
			}
		}
	}
}
