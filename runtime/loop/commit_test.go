package loop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sh has a shell do what an agent's would.
func (p *project) sh(command string) {
	p.t.Helper()
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "%s: %s", command, out)
}

// Each row is what an agent does to the tree and to the index: the commit has the
// tree as it is then, and nothing is left over.
func TestCommitWhateverTheAgentDidToTheIndex(t *testing.T) {
	tests := []struct{ name, before, did, commit, left string }{
		{"a file moved", "", "git mv a.txt b.txt", "D\ta.txt\nA\tb.txt", ""},
		{"a file moved and changed", "", "git mv a.txt b.txt; echo more >> b.txt", "D\ta.txt\nA\tb.txt", ""},
		{"a file removed", "", "git rm -q a.txt", "D\ta.txt", ""},
		{"removed without git", "", "rm a.txt", "D\ta.txt", ""},
		{"staged and removed again", "", "echo n > n; git add n; rm n", "", ""},
		{"that, beside other work", "", "echo n > n; git add n; rm n; echo m > m", "A\tm", ""},
		{"changed, staged and removed", "", "echo b > a.txt; git add a.txt; rm a.txt", "D\ta.txt", ""},
		{"removed, staged and there again", "", "git rm -q a.txt; echo b > a.txt", "M\ta.txt", ""},
		{"staged and changed again", "", "echo n > n; git add n; echo o > n", "A\tn", ""},
		{"meant to be added", "", "echo n > n; git add -N n", "A\tn", ""},
		{"meant to be added, and removed", "", "echo n > n; git add -N n; rm n", "", ""},
		{"no longer tracked", "", "git rm -q --cached a.txt; echo a.txt >> .gitignore", "M\t.gitignore\nD\ta.txt", ""},
		{"ignored, and added all the same", "", "echo x > ignored; git add -f ignored", "A\tignored", ""},
		{"that, changed later", "echo x > ignored; git add -f ignored; git commit -qm i", "echo y > ignored", "M\tignored", ""},
		{"executable", "", "chmod +x a.txt", "M\ta.txt", ""},
		{"a link in its place", "", "rm a.txt; ln -s nowhere a.txt", "T\ta.txt", ""},
		{"a directory in its place", "", "rm a.txt; mkdir a.txt; echo b > a.txt/b", "D\ta.txt\nA\ta.txt/b", ""},
		{"that, staged", "", "git rm -q a.txt; mkdir a.txt; echo b > a.txt/b; git add a.txt", "D\ta.txt\nA\ta.txt/b", ""},
		{"half of that staged", "", "git rm -q a.txt; mkdir a.txt; echo b > a.txt/b", "D\ta.txt\nA\ta.txt/b", ""},
		{"a file in a directory's place", "mkdir d; echo x > d/x; git add .; git commit -qm d", "rm -r d; echo d > d", "A\td\nD\td/x", ""},
		{"a directory moved, a link in its place", "mkdir d; echo x > d/x; git add .; git commit -qm d", "mkdir s; mv d s/d; ln -s s/d d", "A\td\nD\td/x\nA\ts/d/x", ""},
		{"a name that looks like an option, a pattern", "", "echo x > ./-n; echo x > ':(top)a*'", "A\t-n\nA\t:(top)a*", ""},
		{"only the letters' case", "", "git mv a.txt A.txt", "A\tA.txt\nD\ta.txt", ""},
		{"work, with something of the user's staged", "echo u > u; git add u", "git mv a.txt b.txt", "D\ta.txt\nA\tb.txt", "A  u"},
		{"work, with a removal of the user's staged", "echo u > u; git add u; git commit -qm u; git rm -q u", "echo m > m", "A\tm", "D  u"},
		{"outside of a sparse checkout", "mkdir in out; echo 1 > in/f; echo 2 > out/f; git add .; git commit -qm s; git sparse-checkout set in", "mkdir -p out; echo n > out/n", "A\tout/n", ""},
		{"on a detached HEAD", "git checkout -q --detach", "git mv a.txt b.txt", "D\ta.txt\nA\tb.txt", ""},
		{"line ends", "git config core.autocrlf input", "printf 'a\\r\\n' > a.txt; echo n > n", "A\tn", ""},
		{"before the first commit", "rm -rf .git; git init -q; echo .ralph > .git/info/exclude; git config user.name t; git config user.email t@x", "git add a.txt; rm a.txt; echo n > n", "A\tn", "?? .gitignore"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, nil)
			p := newRepo(t)
			p.write(".git/info/exclude", ".ralph\n")
			p.write(".ralph/PROMPT.md", "Do the work.\n")
			r.project, r.fake.dir = p, p.dir
			if tt.before != "" {
				p.sh(tt.before)
			}
			r.fake.script = script(func(*doing) { p.sh(tt.did) })
			r.flags = map[string]string{"commit": "true", "max-turns": "1"}
			stop := r.run()
			require.Equal(t, "max_turns", stop.Reason, stop.Why)
			made := ""
			if p.git("log", "-1", "--format=%s") == "ripple: turn 1" {
				made = p.git("show", "--format=", "--name-status", "--no-renames", "HEAD")
			}
			assert.Equal(t, tt.commit, made)
			assert.Equal(t, tt.left, p.git("status", "--porcelain"))
			files, err := filepath.Glob(filepath.Join(p.dir, ".git", "*ripple*"))
			require.NoError(t, err)
			assert.Empty(t, files, strings.Join(files, " "))
		})
	}
}
