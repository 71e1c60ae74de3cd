//go:build linux

package box

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// bare makes the working tree a repository whose settings the program has written, for git outside of the box.
const bare = `mv .git/HEAD .git/H; cp .git/H HEAD; mkdir objects refs; cp -r .git/objects/. objects; cp -r .git/refs/. refs
printf '[core]\n\trepositoryformatversion=0\n\tbare=false\n\tworktree=.\n\tfsmonitor=touch %s/ran; false\n' "$W" >config`

// A program that makes git use another repository than .git is reported.
func TestRepositoryThatIsGone(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, ripple, "box", "--", "sh", "-c", f.exports()+bare+"; exit 7")
		assert.Equal(t, 7, code, said)
		assert.Contains(t, said, "is no longer a repository")
		assert.Contains(t, said, "HEAD, config, objects, refs")
		assert.NoFileExists(t, f.variables["W"]+"/ran", said)
		_, said, code = f.outcome(t, ripple, "box", "--", "true")
		assert.Zero(t, code)
		assert.Empty(t, said, "it was none before")
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", "mv .git/H .git/HEAD")
		assert.Zero(t, code, said)
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", "mv .git/HEAD .git/H; mkfifo .git/HEAD")
		assert.Zero(t, code, said)
		assert.Contains(t, said, "is no longer a repository")
		_, said, _ = f.outcome(t, "sh", "-c", "rm .git/HEAD; git status")
		assert.FileExists(t, f.variables["W"]+"/ran", "the attack does not work at all: %s", said)
	})
}

// The same in a loop.
func TestLoopRepositoryThatIsGone(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		said, code := f.loop(t, ripple, bare, "", boxed...)
		assert.NotZero(t, code, said)
		assert.Contains(t, said, "these before you run anything here: .git/HEAD, HEAD, config, objects, refs")
		assert.NoFileExists(t, f.variables["W"]+"/ran", said)
	})
}

// A program cannot make the next box write the repository around its own.
func TestRepositoryAround(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		inner := f.variables["W"] + "/in"
		for _, script := range []string{"mv .git/HEAD .git/H; touch ran1", "touch ran2; touch ../escaped || true"} {
			_, said, code := f.outcome(t, "bash", "-c", `mkdir -p in; cd in; [ -e .git ] || git init -q; exec "$0" box -- sh -c "$1"`, ripple, script)
			assert.Zero(t, code, said)
		}
		assert.FileExists(t, inner+"/ran1")
		assert.FileExists(t, inner+"/ran2")
		assert.NoFileExists(t, f.variables["W"]+"/escaped")
	})
}
