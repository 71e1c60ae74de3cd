package place

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// claimed returns a claim of the name main, the directory of its socket, and its environment.
func claimed(t *testing.T) (c *Claim, sockets string, env map[string]string) {
	env = map[string]string{"XDG_RUNTIME_DIR": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}
	c = claim(t, env)
	return c, filepath.Dir(c.Files.Socket), env
}

func claim(t *testing.T, env map[string]string) *Claim {
	s := Spec{Name: "main"}
	c, err := s.ClaimName(func(name string) string { return env[name] })
	require.NoError(t, err)
	t.Cleanup(c.Release)
	return c
}

// A host whose socket and lock are gone, as after a logout, is alive: its name and its results stay its own.
func TestAHostWithoutItsSocketIsNotDead(t *testing.T) {
	c, sockets, env := claimed(t)
	f := c.Files
	require.NoError(t, os.RemoveAll(sockets))
	for range 2 { // the second time, the directory exists
		assert.False(t, f.Dead())
		require.ErrorIs(t, f.Forget(), ErrNameInUse)
		assert.DirExists(t, f.Record)
		require.NoError(t, os.MkdirAll(sockets, 0o700))
	}
	s := Spec{Name: "main"}
	_, err := s.ClaimName(func(name string) string { return env[name] })
	require.ErrorIs(t, err, ErrNameInUse)

	require.NoError(t, os.RemoveAll(sockets))
	c.Release()
	require.NoError(t, os.Mkdir(f.Record, 0o700)) // the results of a killed host
	assert.True(t, f.Dead(), "no lock is held")
	require.NoError(t, f.Forget())
	assert.NoDirExists(t, f.Record)
}

// A claim whose files are gone is renewed where a new console's files would be.
func TestRenewedClaim(t *testing.T) {
	c, sockets, env := claimed(t)
	getenv := func(name string) string { return env[name] }
	before := c.Files
	assert.True(t, c.HasLock())
	require.NoError(t, os.RemoveAll(sockets))
	assert.False(t, c.HasLock())
	require.NoError(t, c.Renew(getenv, "main", nil))
	assert.True(t, c.HasLock())
	assert.Equal(t, before, c.Files)

	env["XDG_RUNTIME_DIR"] = t.TempDir()
	require.NoError(t, os.RemoveAll(sockets))
	require.NoError(t, c.Renew(getenv, "main", nil))
	assert.Equal(t, Files{Socket: env["XDG_RUNTIME_DIR"] + "/ripple/main.sock", Lock: env["XDG_RUNTIME_DIR"] + "/ripple/main.lock", Record: before.Record}, c.Files)

	sockets = filepath.Dir(c.Files.Socket)
	require.NoError(t, os.RemoveAll(sockets))
	require.NoError(t, os.Mkdir(sockets, 0o755))
	require.ErrorContains(t, c.Renew(getenv, "main", nil), "is accessible to other users")
	assert.False(t, c.HasLock())
	require.NoError(t, os.Chmod(sockets, 0o700))
	require.NoError(t, c.Renew(getenv, "main", nil))
	assert.True(t, c.HasLock())
}

// If a console of another home has taken the path meanwhile, neither removes files of the other.
func TestRenewedClaimBesideAnother(t *testing.T) {
	c, sockets, env := claimed(t)
	require.NoError(t, os.RemoveAll(sockets))
	other := claim(t, map[string]string{"XDG_RUNTIME_DIR": env["XDG_RUNTIME_DIR"], "XDG_STATE_HOME": t.TempDir()})
	require.Equal(t, c.Files.Socket, other.Files.Socket)
	require.NoError(t, c.Renew(func(name string) string { return env[name] }, "main", nil))
	assert.NotEqual(t, c.Files.Socket, other.Files.Socket)
	assert.True(t, other.HasLock())

	third := claim(t, map[string]string{"XDG_RUNTIME_DIR": t.TempDir(), "XDG_STATE_HOME": t.TempDir()})
	require.NoError(t, os.Remove(third.Files.Lock))
	require.NoError(t, os.WriteFile(third.Files.Lock, nil, 0o600)) // another console's
	third.Release()
	assert.FileExists(t, third.Files.Lock)
}

// The socket of a host whose lock is gone is not removed by others.
func TestASocketInUseIsNotRemoved(t *testing.T) {
	c, _, env := claimed(t)
	l, err := net.Listen("unix", c.Files.Socket)
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	require.NoError(t, os.Remove(c.Files.Lock))
	other := claim(t, map[string]string{"XDG_RUNTIME_DIR": env["XDG_RUNTIME_DIR"], "XDG_STATE_HOME": t.TempDir()})
	assert.NotEqual(t, c.Files.Socket, other.Files.Socket)
	assert.True(t, answers(c.Files.Socket))
}
