package ui

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
)

// While another process exchanges a directory of the project and a link, no file is made where the link leads.
func TestALinkThatIsExchangedDoesNotLeadOut(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, outside := filepath.Join(top, "project"), filepath.Join(top, "outside")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "out"), 0o700))
	require.NoError(t, os.Mkdir(outside, 0o700))
	t.Chdir(project)
	require.NoError(t, os.Symlink("../outside", "link"))
	ends, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ends:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, "out", unix.AT_FDCWD, "link", unix.RENAME_EXCHANGE)
			}
		}
	}()
	written := 0
	for range testkit.Times(t, 400, 5000) {
		for _, write := range []func() error{
			func() error { return WritePrivate("out/page", []byte("text")) },
			func() error {
				f, err := CreatePrivate("out/recording")
				if err == nil {
					err = f.Close()
				}
				return err
			},
			func() error { return errors.Join(CreateFile("out/new", []byte("text"), 0o600), os.Remove("out/new")) },
		} {
			if write() == nil {
				written++
			}
		}
	}
	close(ends)
	<-ended
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
	assert.Positive(t, written)
}
