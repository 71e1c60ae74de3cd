//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A state directory that a project brings may have anything in place of a record: nobody waits for it, and no link is followed.
func TestARecordIsAFile(t *testing.T) {
	s := &Store{filepath.Join(t.TempDir(), "trust")}
	require.NoError(t, s.Save(Record{Project: "/p"}))
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"link":   func(path string) error { return os.Symlink(s.file("/p"), path) },
	} {
		require.NoError(t, put(s.file("/q")), name)
		_, err := s.Load("/q")
		assert.ErrorContains(t, err, "remove it", name)
		all, err := s.All()
		require.NoError(t, err)
		assert.Len(t, all, 1, name)
		require.NoError(t, os.Remove(s.file("/q")))
	}
	link := filepath.Join(t.TempDir(), "link") // a directory may be a link of the user
	require.NoError(t, os.Symlink(s.dir, link))
	all, err := (&Store{link}).All()
	require.NoError(t, err)
	assert.Len(t, all, 1)
}
