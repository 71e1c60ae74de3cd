//go:build linux

package box

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The file .git of a submodule, which names its repository, cannot be written or replaced.
func TestSubmodulePointer(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "bash", "-ec", `rm -r .git/modules; mkdir libs; git init -q ../lib; git init -q ../lib2; git -C ../lib2 commit -q --allow-empty -m i
			cd ../lib; add() { git -c protocol.file.allow=always submodule --quiet add "$@"; }; mkdir d; echo >d/f; git add d; add "$PWD/../lib2" in; git commit -qm i; cd ../tree
			for s in 'libs/s u"b' modules libs/modules sparse; do add "$PWD/../lib" "$s"; done
			git -c protocol.file.allow=always submodule --quiet update --init --recursive; git -C sparse sparse-checkout set d; git commit -qm sub; cp -a . ../copy`)
		require.Zero(t, code, said)
		const attack = `for s in 'libs/s u"b' 'libs/s u"b/in' modules modules/in libs/modules sparse; do
			echo PWNED >"$s/.git"; mv "$s/.git" "$s/g"; echo PWNED >"$s/.git"; done
			mv libs l; mkdir -p 'libs/s u"b/in'; echo PWNED >'libs/s u"b/in/.git'; echo x >'libs/s u"b/f'; touch ran; git -C 'libs/s u"b' status -s`
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", attack)
		assert.Zero(t, code, said)
		_, said, _ = f.outcome(t, "sh", "-c", "cd ../copy; "+attack)
		for _, name := range []string{`libs/s u"b`, `libs/s u"b/in`, "modules", "modules/in", "libs/modules", "sparse"} {
			assert.FileExists(t, f.variables["W"]+"/"+name+"/.git")
			assert.Empty(t, containing(t, harmed, f.variables["W"]+"/"+name+"/.git"))
			assert.NotEmpty(t, containing(t, harmed, strings.Replace(f.base+"/copy/"+name, "/libs/", "/l/", 1)), "the attack does not work at all: %s", said)
		}
		assert.FileExists(t, f.variables["W"]+"/ran")
		assert.FileExists(t, f.variables["W"]+`/libs/s u"b/f`)
		_, said, code = f.outcome(t, "bash", "-c", `mv sparse s; ln -s s sparse; rm ran; exec "$0" box -- touch ran`, ripple)
		assert.Equal(t, 2, code, said)
		assert.Contains(t, said, "is a symbolic link")
		assert.NoFileExists(t, f.variables["W"]+"/ran")
	})
}
