//go:build linux

package box

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evil is a program that notes in the repository whether it runs in a box, and writes a file outside of one.
const evil = `#!/bin/sh
echo "\${RIPPLE_IN_BOX-outside}" >>$W/.git/lfs/ran
touch $W/../escaped 2>$W/.git/lfs/said
`

// ranInside asserts that such a program ran, and only in a box.
func (f *fixture) ranInside(t *testing.T, said string) {
	t.Helper()
	text, err := os.ReadFile(f.variables["W"] + "/.git/lfs/ran")
	require.NoError(t, err, "no filter ran: %s", said)
	where := strings.Fields(string(text))
	slices.Sort(where)
	assert.Equal(t, []string{"1"}, slices.Compact(where), said)
	assert.NoFileExists(t, f.base+"/escaped", said)
}

// setUp runs a script before the loop.
func (f *fixture) setUp(t *testing.T, script string) {
	t.Helper()
	_, said, code := f.outcome(t, "bash", "-ec", "mkdir -p .git/lfs; "+script)
	require.Zero(t, code, said)
}

// A filter that the user has approved, and whose program is a file of the working tree, runs in the box when ripple looks at the
// tree and commits.
func TestLoopFilterOfTheTree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		f.setUp(t, `mkdir tools; printf '#!/bin/sh\ncat\n' >tools/clean; chmod +x tools/clean; echo '*.dat filter=t' >.gitattributes; echo 1 >a.dat
			git add .; git commit -qm filter; git config filter.t.clean tools/clean; git config filter.t.smudge cat`)
		said, code := f.loop(t, ripple, "cat >tools/clean <<X\n"+evil+"sed s/2/3/\nX\necho 2 >a.dat", "", append(boxed, "--trust", "--commit")...)
		assert.Zero(t, code, said)
		f.ranInside(t, said)
		text, _, _ := f.outcome(t, "git", "show", "HEAD:a.dat")
		assert.Equal(t, "3\n", text, said)
	})
}

// A filter of the user, whose program loads modules from the working directory, runs in the box.
func TestLoopFilterOfTheUser(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		f.setUp(t, `git config --global filter.strip.clean '"/usr/bin/python3" -m strip'; git config --global filter.strip.smudge cat
			echo '*.ipynb filter=strip' >.gitattributes; echo '{}' >n.ipynb; git -c filter.strip.clean=cat add .; git commit -qm filter`)
		said, code := f.loop(t, ripple, `cat >strip.py <<X
import os, sys
open("$W/.git/lfs/ran", "a").write(os.environ.get("RIPPLE_IN_BOX", "outside") + "\n")
try: open("$W/../escaped", "w")
except OSError: pass
sys.stdout.write(sys.stdin.read())
X
			echo '[]' >n.ipynb`, "", boxed...)
		assert.Zero(t, code, said)
		f.ranInside(t, said)
	})
}

// In a working tree of its own, filters and merge drivers run in the box when git makes the working tree, looks at it, commits
// and rebases.
func TestLoopWorktreeFilters(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		f.prepare(t, "echo side >a.dat", "")
		f.setUp(t, "mkdir tools; cat >tools/clean <<X\n"+evil+"cat\nX\ncat >tools/merge <<X\n"+evil+"echo >>$W/.git/lfs/merged; cp \\$2 \\$1\nX\n"+`
			chmod +x tools/*; echo '*.dat filter=t merge=t' >.gitattributes; echo 1 >a.dat; git add tools .gitattributes a.dat turn.sh check.sh scenario.yaml; git commit -qm filter
			git config filter.t.clean tools/clean; git config filter.t.smudge tools/clean; git config merge.t.driver 'tools/merge %A %B'`)
		flags := append(boxed, "--worktree", "side", "--commit", "--trust")
		said, code := f.runLoop(t, ripple, flags...)
		assert.Zero(t, code, said)
		f.ranInside(t, said)
		text, _, _ := f.outcome(t, "git", "show", "side:a.dat")
		assert.Equal(t, "side\n", text, said)

		f.setUp(t, `echo main >a.dat; git commit -qam main; sed -i 's/echo side/echo more/' turn.sh; git commit -qam turn; rm .git/lfs/ran "$W/../escaped"`)
		said, code = f.runLoop(t, ripple, flags...)
		assert.Zero(t, code, said)
		f.ranInside(t, said)
		assert.FileExists(t, f.variables["W"]+"/.git/lfs/merged", said)
		log, _, _ := f.outcome(t, "git", "log", "--format=%s", "side")
		assert.Equal(t, "ripple: turn 1\nripple: turn 1\nturn\nmain\nfilter\nw\n", log, said)
		status, _, _ := f.outcome(t, "git", "-C", ".ralph/side-worktree", "status", "--porcelain")
		assert.Empty(t, status)
	})
}
