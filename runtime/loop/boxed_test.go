package loop

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/box"
)

// inBox runs a loop with a box. Its agent is a function of the test and therefore outside.
func (r *rig) inBox(resume bool) Stop {
	r.t.Helper()
	o := r.options(resume)
	b, err := box.Open(box.Options{Policy: box.Policy{Dir: r.dir, Home: r.t.TempDir()}})
	if missing, is := errors.AsType[*box.Missing](err); is {
		r.t.Skip(missing)
	}
	require.NoError(r.t, err)
	r.t.Cleanup(b.Close)
	o.Box = b
	return r.runWith(o)
}

// A filter of the user is not taken from a directory of PATH in the working tree.
func TestFiltersOfABoxedLoop(t *testing.T) {
	r := gitRig(t)
	r.fake.script = script(func(d *doing) {
		d.writes("bin/clean", "#!/bin/sh\ntouch '"+d.dir+"/.git/ran'\ncat\n")
		if err := os.Chmod(filepath.Join(d.dir, "bin", "clean"), 0o755); err != nil {
			panic(err)
		}
		d.writes(".gitattributes", "* filter=x\n")
		d.writes("a.txt", "b\n")
	})
	settings := filepath.Join(t.TempDir(), "gitconfig")
	require.NoError(t, os.WriteFile(settings, []byte("[filter \"x\"]\n\tclean = clean\n"), 0o644))
	t.Setenv("GIT_CONFIG_GLOBAL", settings)
	t.Setenv("PATH", filepath.Join(r.dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	r.flags["max-turns"], r.flags["commit"] = "1", "true"
	r.inBox(false)
	assert.NotEqual(t, "first", r.git("log", "-1", "--format=%s"))
	assert.NoFileExists(t, filepath.Join(r.dir, ".git", "ran"))
}
