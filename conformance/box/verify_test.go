//go:build linux

package box

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// between returns a command that runs a command with a bubblewrap that first runs a script. The script is between the two
// times at which paths are looked up: by ripple, which checks them, and by bubblewrap, which mounts them.
func between(t *testing.T, f *fixture, script string, args ...string) []string {
	t.Helper()
	text := "#!/bin/bash\nif [[ \" $* \" = *' --seccomp '* ]]; then\n" + f.exports() + script + "\nfi\nexec \"" + f.base + "/bwrap\" \"$@\"\n"
	require.NoError(t, os.WriteFile(f.base+"/between", []byte(text), 0o755))
	return append([]string{"-Urm", "bash", "-ec", `b=$(type -P bwrap); cp "$b" ` + f.base + `/bwrap; mount --bind ` + f.base + `/between "$b"; exec "$@"`, "bash"}, args...)
}

// change returns a script that replaces, in bubblewrap's arguments, the word that follows an option, or the one after that.
func change(option, word string, by string) string {
	return `a=("$@"); for i in ${!a[@]}; do if [[ ${a[i]} = ` + option + ` || ${a[i-1]} = ` + option + ` ]] && [ "${a[i]}" = "` + word + `" ]; then a[i]=` + by + `; break; fi; done; set -- "${a[@]}"`
}

// A program that runs meanwhile replaces a directory which ripple has checked: the box does not start. A symbolic link that
// exists only while bubblewrap looks up a source is as if ripple had given it the link's target.
func TestReplacedWhileABoxStarts(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		const attack = `touch ran; cat .git/info/id .git/modules/id; [ ! -e .git/info/id ] || echo PWNED >.git/info/x; echo PWNED >.git/hooks/x`
		for _, tt := range []struct{ name, script, undo, said string }{
			{"attributes", change("--bind", "$W/.git/info", `"$H/.ssh"; touch "$H/.ssh/attributes"`), ":", ".git/info"},
			{"submodules", change("--ro-bind", "$W/.git/modules", `"$H/.ssh"`), ":", ".git/modules"},
			{"a link", `mv .git/modules .git/m; ln -s m .git/modules`, `rm .git/modules; mv .git/m .git/modules`, ".git/modules"},
			{"another directory", `mv .git/hooks .git/h; mkdir .git/hooks`, `rm -r .git/hooks; mv .git/h .git/hooks`, ".git/hooks"},
			{"a mount point", `a=("$@"); for i in ${!a[@]}; do [ "${a[i]} ${a[i+1]}" != "$W/.git/hooks $W/.git/hooks" ] || a[i+1]=/run/x; done; set -- "${a[@]}"`, ":", ".git/hooks"},
			{"a mount option", `set -- "${@/#--ro-bind/--bind}"`, ":", "it is writable"},
		} {
			_, said, code := f.outcome(t, "unshare", between(t, f, tt.script, ripple, "box", "--", "sh", "-c", attack)...)
			assert.Equal(t, 3, code, "%s: %s", tt.name, said)
			assert.Contains(t, said, tt.said, tt.name)
			assert.NoFileExists(t, f.variables["W"]+"/ran", tt.name)
			assert.Empty(t, f.harm(t, said), tt.name)
			_, said, code = f.outcome(t, "bash", "-c", tt.undo)
			require.Zero(t, code, said)
		}
		_, said, code := f.outcome(t, "unshare", between(t, f, ":", ripple, "box", "--", "touch", "ran")...)
		assert.Zero(t, code, said)
		assert.FileExists(t, f.variables["W"]+"/ran")
	})
}

// The same in a loop, whose boxes another process starts.
func TestReplacedWhileATurnStarts(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		f.prepare(t, `touch ran; cat .ralph/specs/id; echo PWNED >.ralph/specs/x`, "")
		_, said, code := f.outcome(t, "mkdir", "-p", ".ralph/specs")
		require.Zero(t, code, said)
		args := []string{"env", "RIPPLE_SCENARIO=scenario.yaml", ripple, "run", "--adapter", "rehearsal", "--prompt", "go", "--max-turns", "1"}
		_, said, code = f.outcome(t, "unshare", between(t, f, change("--bind", "$W/.ralph/specs", `"$H/.ssh"`), append(args, boxed...)...)...)
		assert.NotZero(t, code, said)
		assert.Contains(t, said, ".ralph/specs")
		assert.NoFileExists(t, f.variables["W"]+"/ran")
		assert.Empty(t, f.harm(t, said))
	})
}

// A box starts in a directory whose path is not UTF-8.
func TestPathThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "bash", "-c", `mkdir $'caf\351' && cd $'caf\351' && git init -q && exec "$0" box -- touch ran`, ripple)
		assert.Zero(t, code, said)
		assert.FileExists(t, f.variables["W"]+"/caf\351/ran")
	})
}
