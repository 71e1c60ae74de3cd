//go:build unix

package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/projectfile"
)

// Git is not taken from a directory of PATH in the working tree, which an agent may have written, but from the next one.
func TestGitIsNotTakenFromTheWorkingTree(t *testing.T) {
	tests := []struct{ name, make, path string }{
		{"a directory in the tree", "mkdir -p .venv/bin; cp $FAKE .venv/bin/git", "DIR/.venv/bin"},
		{"a relative directory", "mkdir bin; cp $FAKE bin/git", "bin"},
		{"the current directory", "cp $FAKE git", "."},
		{"an empty entry", "cp $FAKE git", ""},
		{"a link in the tree", "mkdir ../out; cp $FAKE ../out/git; ln -s ../out bin", "DIR/bin"},
		{"a link to the tree", "mkdir bin; cp $FAKE bin/git; ln -s project/bin ../out", "DIR/../out"},
		{"a program that is a link to the tree", "mkdir ../out; cp $FAKE git; ln -s ../project/git ../out/git", "DIR/../out"},
		{"the main working tree", "mkdir bin; cp $FAKE bin/git; git worktree add -q linked; ln -s linked ../work", "DIR/bin"},
		{"a working tree around it", "git init -q ..; mkdir ../bin; cp $FAKE ../bin/git", "DIR/../bin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepo(t)
			inner := filepath.Join(p.dir, "project")
			require.NoError(t, os.Mkdir(inner, 0o755))
			p = &project{t, inner}
			p.git("init", "-q", "-b", "main")
			p.git("-c", "user.name=t", "-c", "user.email=t@x.y", "commit", "-q", "--allow-empty", "-m", "first")
			p.write("sub/a.txt", "a\n")
			ran, fake := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "git")
			require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755))
			cmd := exec.Command("sh", "-ec", tt.make)
			cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "FAKE="+fake)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			dir := filepath.Join(p.dir, "sub")
			if linked := filepath.Join(p.dir, "linked"); there(linked) {
				dir = linked
			}
			t.Chdir(p.dir)
			first := tt.path
			if rest, is := cutDir(tt.path); is {
				first = p.dir + rest
			}
			t.Setenv("PATH", first+":"+os.Getenv("PATH"))

			p.write(".git/config", p.read(".git/config")+"[core]\n\texcludesFile = none\n") // read by another call of git
			tree, err := OpenTree(t.Context(), dir, nothing)
			require.NoError(t, err)
			require.NotNil(t, tree.Repo)
			_, err = tree.Snapshot(t.Context())
			require.NoError(t, err)
			assert.NoFileExists(t, ran)
		})
	}
}

func cutDir(path string) (string, bool) {
	if len(path) < 3 || path[:3] != "DIR" {
		return path, false
	}
	return path[3:], true
}

// If git is only in the working tree, the error says so.
func TestGitOnlyInTheWorkingTree(t *testing.T) {
	p := newRepo(t)
	p.write("bin/git", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(p.dir, "bin", "git"), 0o755))
	t.Setenv("PATH", filepath.Join(p.dir, "bin"))
	_, err := Open(t.Context(), p.dir)
	refused, is := errors.AsType[*projectfile.RefusedError](err)
	require.True(t, is, "%v", err)
	assert.Equal(t, filepath.Join(p.dir, "bin", "git"), refused.Path)
}

// Git takes the programs of its user's filters and signatures from no relative directory of PATH, which is one of the project.
func TestProgramsOfTheUserAreNotTakenFromTheProject(t *testing.T) {
	for _, entry := range []string{"", ".", "bin"} {
		t.Run("PATH with "+entry, func(t *testing.T) {
			p := newRepo(t)
			ran, home := filepath.Join(t.TempDir(), "ran"), t.TempDir()
			for _, name := range []string{"my-filter", "my-gpg"} {
				p.write(filepath.Join(entry, name), "#!/bin/sh\necho $0 >> '"+ran+"'\nexit 1\n")
				require.NoError(t, os.Chmod(filepath.Join(p.dir, entry, name), 0o755))
			}
			p.git("config", "commit.gpgSign", "true")
			p.write(".gitattributes", "*.bin filter=x\n")
			p.write("a.bin", "a\n")
			p.git("add", ".")
			p.git("commit", "-q", "--no-gpg-sign", "-m", "filtered")
			settings := "[user]\n\tname = u\n\temail = u@example.org\n[filter \"x\"]\n\tclean = my-filter\n[gpg]\n\tprogram = my-gpg\n"
			require.NoError(t, os.WriteFile(filepath.Join(home, "config"), []byte(settings), 0o600))
			t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "config"))
			path := os.Getenv("PATH")
			t.Setenv("PATH", path+":"+entry)
			p.write("a.bin", "b\n")
			tree, err := OpenTree(t.Context(), p.dir, nothing)
			require.NoError(t, err)
			_, _ = tree.Snapshot(t.Context()) // the filter is missing
			require.ErrorContains(t, tree.Repo.Ready(t.Context()), "signing fails")
			assert.NoFileExists(t, ran)

			t.Setenv("PATH", path+":"+filepath.Join(p.dir, entry)) // the user's choice
			require.Error(t, tree.Repo.Ready(t.Context()))
			assert.FileExists(t, ran)
		})
	}
}
