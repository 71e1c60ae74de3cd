package place

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	for _, good := range []string{"a", "bash-1", "A.b_c", "_x", strings.Repeat("n", 200)} {
		assert.NoError(t, CheckName(good), good)
	}
	for _, bad := range []string{"", "-a", ".a", "..", "a/b", "a b", "ä", "a\n", strings.Repeat("n", 201)} {
		assert.Error(t, CheckName(bad), bad)
	}
	f, err := filesOf("/run/user/1000/ripple", "/state", strings.Repeat("n", 150))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(f.Socket), maxPath)
	g, err := filesOf("/run/user/1000/ripple", "/state", strings.Repeat("n", 151))
	require.NoError(t, err)
	assert.NotEqual(t, f, g)
	_, err = filesOf("/"+strings.Repeat("d", maxPath), "/state", "a")
	assert.ErrorContains(t, err, "too long for a socket")
}

func TestADirectoryOfOthersIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"open to others", func(p string) error { return os.MkdirAll(p, 0o755) }, "is accessible to other users (mode 0755)"},
		{"a link", func(p string) error { return os.Symlink("/", p) }, "is not a directory"},
		{"a file", func(p string) error { return os.WriteFile(p, nil, 0o600) }, "is not a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runtime := t.TempDir()
			require.NoError(t, tt.make(filepath.Join(runtime, "ripple")))
			_, err := dir(func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": runtime}[name] })
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// A program without XDG_RUNTIME_DIR finds the same consoles as one that has it.
func TestWhereConsolesAre(t *testing.T) {
	system, uid := t.TempDir(), strconv.Itoa(os.Getuid())
	own := filepath.Join(system, uid)
	assert.Equal(t, "/tmp/ripple-"+uid, runtimeDir("", system), "no such directory")
	require.NoError(t, os.Mkdir(own, 0o755))
	assert.Equal(t, "/tmp/ripple-"+uid, runtimeDir("", system), "open to others")
	require.NoError(t, os.Chmod(own, 0o700))
	assert.Equal(t, own+"/ripple", runtimeDir("", system))
	assert.Equal(t, own+"/ripple", runtimeDir(own, system))
	elsewhere := t.TempDir()
	assert.Equal(t, elsewhere+"/ripple", runtimeDir(elsewhere, system))
	assert.Equal(t, own+"/ripple", runtimeDir(filepath.Join(elsewhere, "missing"), system))
	assert.Equal(t, own+"/ripple", runtimeDir("not/absolute", system))

	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	assert.Empty(t, Variables(env(map[string]string{"XDG_STATE_HOME": "relative"})))
	set := map[string]string{"XDG_RUNTIME_DIR": elsewhere, "XDG_STATE_HOME": "/state"}
	assert.Equal(t, set, Variables(env(set)))
}

// If the home is missing or belongs to another user, results are next to the sockets.
func TestAHomeOfAnotherUserIsNotUsed(t *testing.T) {
	runtime := t.TempDir()
	env := map[string]string{"XDG_RUNTIME_DIR": runtime, "HOME": "/proc/self/nonexistent"}
	getenv := func(name string) string { return env[name] }
	if os.Getuid() == 0 {
		env["HOME"] = t.TempDir()
		require.NoError(t, os.Chown(env["HOME"], 65534, 65534))
	}
	state, err := State(getenv)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(runtime, "ripple", "state", "consoles"), state)

	env["HOME"] = filepath.Join(t.TempDir(), "to", "be", "made")
	state, err = State(getenv)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(env["HOME"], ".local/state/ripple/consoles"), state)
}

// A directory of that name created by another user does not prevent consoles.
func TestASquattedDirectoryIsNotUsed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("giving a directory to another user needs root")
	}
	runtime, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(runtime, "ripple"), 0o700))
	require.NoError(t, os.Chown(filepath.Join(runtime, "ripple"), 65534, 65534))
	dir, err := dir(func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": runtime, "HOME": home}[name] })
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(home, ".local/state/ripple/run"), dir)
}

// Consoles of one user with two homes may have the same name.
func TestTwoHomes(t *testing.T) {
	runtime := t.TempDir()
	var sockets []string
	for range 2 {
		state := t.TempDir()
		s := Spec{Name: "main"}
		c, err := s.ClaimName(func(name string) string {
			return map[string]string{"XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": state}[name]
		})
		require.NoError(t, err)
		defer c.Release()
		sockets = append(sockets, c.Files.Socket)
	}
	assert.NotEqual(t, sockets[0], sockets[1])
}

// Of several starters of one name and home, one gets it, whichever of the two locks it gets first.
func TestOneStarterGetsTheName(t *testing.T) {
	env := map[string]string{"XDG_RUNTIME_DIR": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}
	getenv := func(name string) string { return env[name] }
	s := Spec{Name: "main"}
	f, err := Of(getenv, s.Name)
	require.NoError(t, err)

	slow, err := take(f, 0, nil) // and has not come to the directory of results
	require.NoError(t, err)
	quick, err := s.ClaimName(getenv)
	require.NoError(t, err)
	assert.NotEqual(t, f.Socket, quick.Files.Socket)
	_, err = slow.withRecord(nil)
	require.ErrorIs(t, err, ErrNameInUse)

	_, err = s.ClaimName(getenv)
	require.ErrorIs(t, err, ErrNameInUse)
	assert.ErrorContains(t, err, "another XDG_RUNTIME_DIR", "its socket is not the usual one")
	quick.Release()
	assert.NoDirExists(t, f.Record)

	first, err := s.ClaimName(getenv)
	require.NoError(t, err)
	_, err = s.ClaimName(getenv)
	require.ErrorIs(t, err, ErrNameInUse)
	assert.NotContains(t, err.Error(), "XDG_RUNTIME_DIR")
	require.NoError(t, os.WriteFile(filepath.Join(f.Record, "output"), nil, 0o600))
	first.Release()
	assert.DirExists(t, f.Record, "results are kept")
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"main", "../x", "a\x00b", "-", strings.Repeat("n", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckName(name) != nil {
			return
		}
		found, err := filesOf("/run/user/1000/ripple", "/home/u/.local/state/ripple/consoles", name)
		require.NoError(t, err)
		for dir, path := range map[string]string{"/run/user/1000/ripple": found.Socket, "/home/u/.local/state/ripple/consoles": found.Record} {
			require.Equal(t, dir, filepath.Dir(path))
		}
		require.LessOrEqual(t, len(found.Socket), maxPath)
	})
}

// Only sockets that a host of the console could have made are taken from its record.
func TestSocketsThatARecordMayName(t *testing.T) {
	f, uid := Files{Record: "/home/u/.local/state/ripple/consoles/c1"}, strconv.Itoa(os.Getuid())
	for path, want := range map[string]bool{
		"/run/user/1000/ripple/c1.sock":                           true,
		"/tmp/ripple-" + uid + "/c1.sock":                         true,
		"/home/u/.local/state/ripple/run/c1.sock":                 true,
		"/run/user/1000/ripple/" + socketName("c1") + ".sock":     true,
		"/run/user/1000/ripple/" + socketName(f.Record) + ".sock": true,
		"/run/user/1000/ripple/c2.sock":                           false,
		"/run/user/1000/ripple/" + socketName("c2") + ".sock":     false,
		"/run/user/1000/ripple/c1":                                false,
		"/run/user/1000/ripple/c1.lock":                           false,
		"/tmp/ripple-x/c1.sock":                                   false,
		"/home/u/run/c1.sock":                                     false,
		"/home/u/private/c1.sock":                                 false,
		"/home/u/private/Cargo.sock":                              false,
		"ripple/c1.sock":                                          false,
		"/c1.sock":                                                false,
		"":                                                        false,
	} {
		assert.Equal(t, want, f.AcceptsSocket(path), path)
	}
}
