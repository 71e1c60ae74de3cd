//go:build unix

package adaptercmd

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/projectfile"
)

// The agent that improves an adapter gets no file from outside of the project as its evidence, and a pipe or a
// device in place of it is not waited for.
func TestEvidenceIsAFileOfTheProject(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("SECRET\n"), 0o600))
	for name, c := range map[string]struct {
		put     func(path string) error
		refused bool
	}{
		"missing": {func(string) error { return nil }, false},
		"file":    {func(path string) error { return os.WriteFile(path, []byte("seen\n"), 0o600) }, false},
		"link":    {func(path string) error { return os.Symlink(outside, path) }, true},
		"pipe":    {func(path string) error { return syscall.Mkfifo(path, 0o600) }, true},
		"device":  {func(path string) error { return os.Symlink("/dev/zero", path) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			k := &keeper{helper: &helper{probed: probed{name: "x", file: "x.yaml"}, dir: t.TempDir()}}
			require.NoError(t, c.put(k.evidenceFile()))
			err := k.writeEvidence()
			_, refused := errors.AsType[*projectfile.RefusedError](err)
			assert.Equal(t, c.refused, refused, "%v", err)
			assert.Equal(t, name == "file", isFile(filepath.Join(k.dir, k.evidenceName())))
		})
	}
}
