package projectfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Directories that may be entered but not listed are passed through, as any other program does.
func TestDirectoriesNeedNotBeReadable(t *testing.T) {
	base := t.TempDir()
	sub := filepath.Join(base, "sub", "sub")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(sub, "f"), []byte("text"), 0o644))
	require.NoError(t, os.Chmod(filepath.Join(sub, "f"), 0o644)) // whatever the umask is
	for dir := sub; dir != filepath.Dir(filepath.Dir(base)); dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o311))
		t.Cleanup(func() { assert.NoError(t, os.Chmod(dir, 0o700)) })
	}
	if os.Geteuid() == 0 { // root may read all: this thread opens files as nobody
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(t, unix.Setfsuid(65534))
		defer func() { assert.NoError(t, unix.Setfsuid(0)) }()
	}
	_, err := os.ReadDir(sub)
	require.ErrorIs(t, err, os.ErrPermission)
	for what, read := range map[string]func() ([]byte, error){
		"Read":       func() ([]byte, error) { return Read(filepath.Join(sub, "f"), MaxText) },
		"ReadInside": func() ([]byte, error) { return ReadInside(base, filepath.Join(sub, "f"), MaxText) },
		"Dir":        func() ([]byte, error) { return In(base, "sub").Read("sub/f", MaxText) },
	} {
		text, err := read()
		require.NoError(t, err, what)
		assert.Equal(t, "text", string(text), what)
	}
}
