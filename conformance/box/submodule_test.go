//go:build linux

package box

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The file .git of a submodule, which names its repository, cannot be written or replaced.
func TestSubmodulePointer(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "bash", "-c", `rm -r .git/modules; mkdir libs; git init -q ../lib; git init -q ../lib2; git -C ../lib2 commit -q --allow-empty -m i
			cd ../lib; git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib2" in; git commit -qm i; cd ../tree
			git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" 'libs/s u"b'; git -c protocol.file.allow=always submodule --quiet update --init --recursive; git commit -qm sub`)
		require.Zero(t, code, said)
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", `for s in 'libs/s u"b' 'libs/s u"b/in'; do
			echo PWNED >"$s/.git"; mv "$s/.git" "$s/g"; echo PWNED >"$s/.git"; done
			mv libs l; mkdir -p 'libs/s u"b/in'; echo PWNED >'libs/s u"b/in/.git'; echo x >'libs/s u"b/f'; touch ran; git -C 'libs/s u"b' status -s`)
		assert.Zero(t, code, said)
		for _, name := range []string{`libs/s u"b/.git`, `libs/s u"b/in/.git`} {
			assert.FileExists(t, f.variables["W"]+"/"+name)
			assert.Empty(t, containing(t, harmed, f.variables["W"]+"/"+name))
		}
		assert.FileExists(t, f.variables["W"]+"/ran")
		assert.FileExists(t, f.variables["W"]+`/libs/s u"b/f`)
	})
}
