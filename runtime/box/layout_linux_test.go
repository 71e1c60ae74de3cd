package box

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// More mounts than bubblewrap accepts are refused, whatever they are for.
func TestTooManyMounts(t *testing.T) {
	l := layout{}
	for i := range maxMounts {
		l.add("ro-bind", "/x", fmt.Sprintf("/tree/submodule%d/.git", i))
	}
	args, err := l.args("/tree")
	assert.NoError(t, err)
	assert.Less(t, len(args), 9000)
	l.addOwn(&Policy{}, "/ripple", "/proxy")
	_, err = l.args("/tree")
	assert.ErrorIs(t, err, ErrPolicy)
}

// A link that a project has in place of a directory of PATH opens no directory of the user in a box of a working tree in that project.
func TestPathThroughALinkOfAProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"home/.ssh", "home/documents", "home/programs", "p/.git/refs", "p/tools", "p/sub"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	for link, target := range map[string]string{"p/bin": "../home/.ssh", "p/docs": "../home/documents", "p/here": "tools", "own": "home/programs"} {
		require.NoError(t, os.Symlink(target, at(link)))
	}
	var dirs []string
	for _, name := range []string{"p/bin", "p/docs", "p/here", "p/tools", "own"} {
		dirs = append(dirs, at(name))
	}
	l, err := newLayout(&Policy{Dir: at("p/sub"), Home: at("home"), Env: []string{"PATH=" + strings.Join(dirs, ":")}}, at("home"), t.TempDir())
	require.NoError(t, err)
	for name, from := range map[string]string{"p/bin": "", "p/docs": "", "p/here": "p/tools", "p/tools": "p/tools", "own": "home/programs"} {
		if from != "" {
			from = at(from)
		}
		assert.Equal(t, from, l[at(name)].from, name)
	}
}

// A link in place of a file that Box.With makes writable opens nothing, wherever it leads, also if the working tree is not around it.
// A link of the user in place of an agent's state is followed.
func TestALinkOpensNothingToWrite(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"home/.ssh", "home/dotfiles/agent", "p/.git", "p/.ralph/w/.git", "p/.ralph/logs"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	for link, target := range map[string]string{"p/.ralph/specs": "../../home/.ssh", "p/.ralph/notes": "../.git", "home/.agent": "dotfiles/agent"} {
		require.NoError(t, os.Symlink(target, at(link)))
	}
	l := layout{}
	l.share([]string{at("p/.ralph/specs"), at("p/.ralph/notes"), at("p/.ralph/logs"), at("p/.ralph/missing")}, []string{at("home/.agent")}, &Policy{Dir: at("p/.ralph/w"), Home: at("home")})
	assert.Equal(t, layout{
		at("p/.ralph/logs"): {how: "bind", from: at("p/.ralph/logs"), at: at("p/.ralph/logs")},
		at("home/.agent"):   {how: "bind", from: at("home/dotfiles/agent"), at: at("home/.agent")},
	}, l)
}
