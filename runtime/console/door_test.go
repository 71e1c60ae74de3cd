//go:build unix

package console

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console/place"
)

// doors returns the doors of two consoles of one name and different homes, which share a directory of sockets.
func doors(t *testing.T) (one, other *door, sockets string) {
	sockets, err := os.MkdirTemp("", "doors") // a short path
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(sockets)) })
	made := [2]*door{}
	for i := range made {
		env := map[string]string{"XDG_RUNTIME_DIR": sockets, "XDG_STATE_HOME": t.TempDir()}
		d := &door{getenv: func(name string) string { return env[name] }, server: &http.Server{}}
		s := place.Spec{Name: "main"}
		d.claim, err = s.ClaimName(d.getenv)
		require.NoError(t, err)
		t.Cleanup(d.claim.Release)
		t.Cleanup(func() {
			if err := d.server.Close(); !errors.Is(err, net.ErrClosed) { // a former listener may be
				assert.NoError(t, err)
			}
		})
		require.NoError(t, d.listen())
		go func(l net.Listener) { _ = d.server.Serve(l) }(d.listener)
		made[i] = d
	}
	return made[0], made[1], filepath.Join(sockets, "ripple")
}

// requireOpen requires that clients find the door, and that the socket is its own.
func requireOpen(t *testing.T, d *door) {
	t.Helper()
	require.True(t, d.open())
	c, err := net.Dial("unix", d.claim.Files.Socket)
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

// A socket that works is kept when only its lock was removed, also if the place cannot be claimed again.
func TestAWorkingSocketIsKept(t *testing.T) {
	d, _, sockets := doors(t)
	require.NoError(t, os.Remove(d.claim.Files.Lock))
	require.NoError(t, os.Chmod(sockets, 0o755))
	require.ErrorContains(t, d.reopen("main"), "is accessible to other users")
	assert.True(t, d.hasSocket())
	c, err := net.Dial("unix", d.claim.Files.Socket)
	require.NoError(t, err)
	require.NoError(t, c.Close())

	require.NoError(t, os.Chmod(sockets, 0o700))
	before := d.socket
	require.NoError(t, d.reopen("main"))
	requireOpen(t, d)
	assert.True(t, os.SameFile(before, d.socket))
}

// Of two hosts whose sockets were removed neither replaces the other's, whichever is first.
func TestTwoHostsMakeTheirSocketsAgain(t *testing.T) {
	one, other, sockets := doors(t)
	for range 2 {
		require.NoError(t, os.RemoveAll(sockets))
		for _, d := range []*door{one, other} {
			assert.False(t, d.open())
			require.NoError(t, d.reopen("main"))
			requireOpen(t, d)
		}
		requireOpen(t, one)
		assert.NotEqual(t, one.claim.Files.Socket, other.claim.Files.Socket)
		one, other = other, one
	}
	require.NoError(t, os.RemoveAll(sockets))
	failed := make(chan error)
	for _, d := range []*door{one, other} {
		go func() { failed <- d.reopen("main") }()
	}
	for range 2 {
		require.NoError(t, <-failed)
	}
	requireOpen(t, one)
	requireOpen(t, other)
}

// A host whose lock was removed keeps its place from another one that wants it, and one that lost its socket to another
// host leaves that as it is.
func TestAPlaceOfAnotherHostIsKept(t *testing.T) {
	one, other, _ := doors(t)
	usual := one.claim.Files
	require.NoError(t, os.Remove(usual.Lock))
	require.NoError(t, os.Remove(other.claim.Files.Socket))
	require.NoError(t, os.Remove(other.claim.Files.Lock))
	require.NoError(t, other.reopen("main")) // while nobody has the lock of the usual place
	requireOpen(t, other)
	assert.True(t, one.hasSocket())
	require.NoError(t, one.reopen("main"))
	requireOpen(t, one)
	assert.Equal(t, usual, one.claim.Files)

	require.NoError(t, os.Remove(usual.Socket))
	require.NoError(t, os.Remove(usual.Lock))
	former := other.claim.Files.Socket
	require.NoError(t, os.Remove(other.claim.Files.Lock))
	require.NoError(t, other.reopen("main")) // takes the usual place
	assert.Equal(t, usual.Socket, other.claim.Files.Socket)
	assert.NoFileExists(t, former, "nobody would remove it")
	require.NoError(t, one.reopen("main"))
	requireOpen(t, one)
	requireOpen(t, other)
}
