//go:build linux

package box

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files of the working tree that git's settings include cannot be written or replaced.
func TestIncludedSettings(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		const attack = `echo PWNED >>a; echo PWNED >>b/c; mv b x; mkdir b; echo PWNED >>b/c; mv a y; echo PWNED >a; echo PWNED >>d; touch ran`
		_, said, code := f.outcome(t, "bash", "-c", `mkdir b; printf '[a]\nb=c\n[include]\n\tpath = b/c\n' >a; echo >b/c; echo >d
			git config include.path ../a; git config --global includeIf.gitdir:/none/.path "$W/d"; exec "$0" box -- sh -c "$1"`, ripple, attack)
		assert.Zero(t, code, said)
		assert.FileExists(t, f.variables["W"]+"/ran")
		for _, name := range []string{"a", "b/c", "d"} {
			assert.Empty(t, containing(t, harmed, f.variables["W"]+"/"+name))
		}
		for _, change := range []string{"rm d", "ln -s a d"} {
			_, said, code = f.outcome(t, "bash", "-c", change+` && rm -f ran && exec "$0" box -- touch ran`, ripple)
			assert.Equal(t, 2, code, said)
			assert.Contains(t, said, "git's settings")
			assert.Contains(t, said, "/d")
			assert.NoFileExists(t, f.variables["W"]+"/ran")
		}
		_, _, code = f.outcome(t, "git", "config", "--global", "--unset", "includeIf.gitdir:/none/.path")
		require.Zero(t, code)
	})
}
