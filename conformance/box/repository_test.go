//go:build linux

package box

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bare makes the working tree a repository whose settings the program has written, for git outside of the box.
const bare = `cp .git/HEAD .git/H; cp .git/H HEAD; mkdir objects refs; cp -r .git/objects/. objects; cp -r .git/refs/. refs
printf '[core]\n\trepositoryformatversion=0\n\tbare=false\n\tworktree=.\n\tfsmonitor=touch %s/ran; false\n' "$W" >config`

// A program that makes git use another repository is reported, whatever it does to .git.
func TestRepositoryThatIsGone(t *testing.T) {
	t.Parallel()
	possible(t)
	everyKind(t, func(t *testing.T, ripple string, f *fixture) {
		const reset = `chmod -R u+rwx .git; rm -rf HEAD objects refs config ran; rm -f .git/HEAD; mv .git/H .git/HEAD`
		ways := []string{"rm .git/HEAD; ln -s H .git/HEAD", "rm .git/HEAD; mkfifo .git/HEAD", `printf 'ref:\302\240refs/heads/main\n' >.git/HEAD`} // see TestHasRepository
		if f.credential != nil {                                                                                                                   // root may search every directory
			ways = append(ways, "chmod 600 .git/objects")
		}
		for _, way := range ways {
			_, said, code := f.outcome(t, ripple, "box", "--", "sh", "-c", f.exports()+bare+"; "+way+"; exit 7")
			assert.Equal(t, 7, code, said)
			assert.Contains(t, said, "is not a repository for git", way)
			assert.Contains(t, said, "if they are not yours: HEAD, objects, refs, config", way)
			assert.NoFileExists(t, f.variables["W"]+"/ran", said)
			_, said, code = f.outcome(t, ripple, "box", "--", "true")
			assert.Zero(t, code)
			assert.Equal(t, 1, strings.Count(said, "is not a repository for git"), "an earlier ripple may have been killed: %s: %s", way, said)
			_, said, code = f.outcome(t, "bash", "-c", `[ ! -p .git/HEAD ] || rm .git/HEAD; git status; [ -e ran ] && `+reset)
			assert.Zero(t, code, "the attack does not work at all: %s: %s", way, said)
		}
		_, said, code := f.outcome(t, ripple, "box", "--", "true")
		assert.Zero(t, code)
		assert.Empty(t, said)
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", "mv .git/HEAD .git/H")
		assert.Zero(t, code, said)
		assert.Contains(t, said, "restore HEAD, objects and refs in .git\n", "there is nothing to remove")
	})
}

// The same in a loop.
func TestLoopRepositoryThatIsGone(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		said, code := f.loop(t, ripple, bare+"; rm .git/HEAD", "", boxed...)
		assert.NotZero(t, code, said)
		assert.Contains(t, said, "these before you run anything here: .git/HEAD, HEAD, config, objects, refs")
		assert.NoFileExists(t, f.variables["W"]+"/ran", said)
	})
}

// Links with which git would write outside of the repository are reported at the end, whatever the program's exit code is.
func TestLinksOutOfTheRepository(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, ripple, "box", "--", "sh", "-c", f.exports()+`ln -s commondir .git/TAG_EDITMSG; exit 7`)
		assert.Equal(t, 7, code, said)
		assert.Contains(t, said, "check these before you run git there: "+f.variables["W"]+"/.git/TAG_EDITMSG: link = "+f.variables["W"]+"/.git/commondir\n")
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", f.exports()+`rm -f .git/COMMIT_EDITMSG; ln -s "$H/.bashrc" .git/COMMIT_EDITMSG; exit 7`)
		assert.Equal(t, 7, code, said)
		assert.Contains(t, said, "check these before you run git there: "+f.variables["W"]+"/.git/COMMIT_EDITMSG: link = "+f.variables["H"]+"/.bashrc\n")
		_, said, code = f.outcome(t, ripple, "box", "--", "true")
		assert.Zero(t, code)
		assert.Empty(t, said, "the program did not make it")
		_, said, code = f.outcome(t, "git", "commit", "-q", "--allow-empty", "-m", harmed)
		assert.Zero(t, code, said)
		assert.NotEmpty(t, f.harm(t, said), "the attack does not work at all")
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

// A box in a repository of another user may write only its directory, and says so.
func TestRepositoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	possible(t)
	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	each(t, func(t *testing.T, ripple string, f *fixture) {
		w := f.variables["W"]
		_, said, code := f.outcome(t, "mkdir", "sub")
		require.Zero(t, code, said)
		require.NoError(t, os.Lchown(w+"/.git", 12345, 12345))
		_, said, code = f.outcome(t, "bash", "-c", `cd sub; exec "$0" box -- sh -c 'touch ran; touch ../escaped || true'`, ripple)
		assert.Zero(t, code, said)
		assert.Contains(t, said, "the box may write only "+w+"/sub: the repository around it, "+w+", belongs to another user\n")
		assert.FileExists(t, w+"/sub/ran")
		assert.NoFileExists(t, w+"/escaped")
	})
}

// A copy of ripple in the working tree is run outside of the box by the next command, and by the next turn of a loop.
func TestRippleInTheWorkingTree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "sh", "-c", `mkdir -p tools/bin && cp "$0" tools/bin/own`, ripple)
		assert.Zero(t, code, said)
		own := f.variables["W"] + "/tools/bin/own"
		for _, way := range []string{"echo >>tools/bin/own", "rm tools/bin/own", "touch x; mv x tools/bin/own", "mv tools/bin tools/b", "mv tools t"} {
			_, said, code := f.outcome(t, own, "box", "--", "sh", "-c", way)
			assert.NotZero(t, code, way)
			assert.Contains(t, said, "tools", way)
		}
		out, said, code := f.outcome(t, own, "box", "--", "sh", "-c", "touch tools/bin/other; echo works")
		assert.Zero(t, code, said)
		assert.Equal(t, "works\n", out)
	})
}

// Files of the user that the box hides and the working tree has, as that of a repository of dotfiles, cannot be replaced by
// others, also by renaming the directories around them.
func TestHiddenFilesInTheWorkingTree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "sh", "-c", `
			mkdir -p dot/a/ssh dot/a/ripple/adapters && echo KEY >dot/a/ssh/id
			rm -rf "$H/.ssh" "$H/.config/ripple"; mkdir -p "$H/.config"
			ln -s "$W/dot/a/ssh" "$H/.ssh"; ln -s "$W/dot/a/ripple" "$H/.config/ripple"`)
		require.Zero(t, code, said)
		for _, move := range []string{"mv dot/a/ssh dot/a/old", "mv dot/a dot/old", "mv dot old"} {
			_, said, code := f.outcome(t, ripple, "box", "--", "sh", "-c", move+" && mkdir -p dot/a/ssh dot/a/ripple/adapters && echo PWNED >dot/a/ssh/config && echo PWNED >dot/a/ripple/adapters/bash.yaml")
			assert.NotZero(t, code, move)
			assert.Contains(t, said, "busy", move)
		}
		_, said, code = f.outcome(t, ripple, "box", "--", "sh", "-c", "touch dot/x dot/a/y && mkdir dot/new && mv dot/new dot/newer && ! cat dot/a/ssh/id")
		assert.Zero(t, code, "other files can be written: %s", said)
		out, _, _ := f.outcome(t, "sh", "-c", `cat "$H/.ssh/"*; ls -A "$H/.config/ripple/adapters"; ls dot`)
		assert.Equal(t, "KEY\na\nnewer\nx\n", out)
	})
}
