package loop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// sh runs a shell command as an agent would.
func (p *project) sh(command string) {
	p.t.Helper()
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "%s: %s", command, out)
}

// Each row is an agent's action on the tree and the index: the commit has the resulting tree, and
// nothing remains uncommitted.
func TestCommitWhateverTheAgentDidToTheIndex(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before, did, commit, left string }{
		{"a file moved", "", "git mv a.txt b.txt", "D\ta.txt\nA\tb.txt", ""},
		{"a file moved and changed", "", "git mv a.txt b.txt; echo more >> b.txt", "D\ta.txt\nA\tb.txt", ""},
		{"a file removed", "", "git rm -q a.txt", "D\ta.txt", ""},
		{"removed without git", "", "rm a.txt", "D\ta.txt", ""},
		{"staged and removed again", "", "echo n > n; git add n; rm n", "", ""},
		{"staged and removed again, with other work", "", "echo n > n; git add n; rm n; echo m > m", "A\tm", ""},
		{"changed, staged and removed", "", "echo b > a.txt; git add a.txt; rm a.txt", "D\ta.txt", ""},
		{"removed, staged and there again", "", "git rm -q a.txt; echo b > a.txt", "M\ta.txt", ""},
		{"staged and changed again", "", "echo n > n; git add n; echo o > n", "A\tn", ""},
		{"meant to be added", "", "echo n > n; git add -N n", "A\tn", ""},
		{"meant to be added, and removed", "", "echo n > n; git add -N n; rm n", "", ""},
		{"no longer tracked", "", "git rm -q --cached a.txt; echo a.txt >> .gitignore", "M\t.gitignore\nD\ta.txt", ""},
		{"ignored, and added all the same", "", "echo x > ignored; git add -f ignored", "A\tignored", ""},
		{"ignored, added and changed later", "echo x > ignored; git add -f ignored; git commit -qm i", "echo y > ignored", "M\tignored", ""},
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
		{"before the first commit", "rm -rf .git; git init -q; echo .ralph > .git/info/exclude; git config user.name t; git config user.email t@x", "git add a.txt; rm a.txt; echo n > n", "A\tn", "AD a.txt\n?? .gitignore"},
	}
	for _, tt := range testkit.SampleOf(t, 2, 7, tests, func(i int) [2]bool { return [2]bool{tests[i].before == "", tests[i].left == ""} }) {
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
			require.Equal(t, "max_turns", stop.Reason, stop.Message)
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

// Changes from before the turn belong to the user: they are listed, and a file changed by both
// may be left out.
func TestCommitLeavesOutFilesThatBothChanged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, did string
		flags             map[string]string
		commit, left      string
		notes             []string
	}{
		{"clean", "", "echo n > n", nil, "A\tn", "", nil},
		{
			"both", "echo mine >> a.txt; echo u > u", "echo more >> a.txt; echo n > n", nil, "A\tn", "M a.txt\n?? u",
			[]string{"uncommitted changes from before the loop: a.txt, u; if the agent changes one of these files, the file is not committed", "not committed, since you had changes in it before the turn: a.txt"},
		},
		{
			"both, and all", "echo mine >> a.txt; echo u > u", "echo more >> a.txt; echo n > n",
			map[string]string{"commit-all": "true"},
			"M\ta.txt\nA\tn", "?? u",
			[]string{"the commit contains both changes"},
		},
		{"staged by the user", "echo u > u; git add u", "echo v > u", nil, "", "AM u", []string{"before the loop: u;", "before the turn: u"}},
		{"many", "touch 1 2 3 4 5 6 7", "echo n > n", nil, "A\tn", "?? 1\n?? 2\n?? 3\n?? 4\n?? 5\n?? 6\n?? 7", []string{"1, 2, 3, 4, 5 and 2 more; "}},
		{"a repository inside", "git init -q in; touch in/f", "echo n > n; echo f > in/f", nil, "A\tn", "?? in/", []string{"in is a separate git repository: changes in it count as progress, but are not committed here"}},
		{"the agent's own repository", "", "git init -q in; touch in/f", nil, "", "?? in/", []string{"in is a separate git repository"}},
		{
			"a submodule", "git init -q -b main ../sub; git -C ../sub -c user.name=t -c user.email=t@x commit -q --allow-empty -m s; git -c protocol.file.allow=always submodule --quiet add \"$PWD/../sub\" d/sub; git commit -qm sub",
			"echo f > d/sub/f", nil, "", "M d/sub",
			[]string{"d/sub is a separate git repository"},
		},
	}
	for _, tt := range testkit.SampleOf(t, 2, 5, tests, func(i int) int { return len(tests[i].notes) }) {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.project = newRepo(t)
			r.write(".git/info/exclude", ".ralph\n")
			r.write(".ralph/PROMPT.md", "Do the work.\n")
			if tt.before != "" {
				r.sh(tt.before)
			}
			r.fake.script = script(func(*doing) { r.sh(tt.did) })
			r.flags = map[string]string{"commit": "true", "max-turns": "1"}
			for name, v := range tt.flags {
				r.flags[name] = v
			}
			require.Equal(t, "max_turns", r.run().Reason)
			made := ""
			if r.git("log", "-1", "--format=%s") == "ripple: turn 1" {
				made = r.git("show", "--format=", "--name-status", "--no-renames", "HEAD")
			}
			assert.Equal(t, tt.commit, made)
			assert.Equal(t, tt.left, r.git("status", "--porcelain"))
			said := r.notes()
			require.Len(t, said, len(tt.notes), "%q", said)
			for i, want := range tt.notes {
				assert.Contains(t, said[i], want)
			}
		})
	}
}

// Changes between the end of a run and its continuation are the user's, whatever became of the last turn's commit.
func TestChangesBetweenRunsAreTheUsers(t *testing.T) {
	t.Parallel()
	const mine = "uncommitted changes from before the loop: .ralph/PROMPT.md, a.txt, mine, mine.txt; "
	looks := func(*doing) {}
	hook := "mkdir -p .git/hooks; printf '#!/bin/sh\ntest -e .git/ok\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"
	tests := []struct {
		name, before   string
		first, resumed map[string]string // flags
		turn           func(*doing)
		commits        string // after the continuation, without another turn
		note           string
	}{
		{"committed", "", map[string]string{"commit": "true"}, nil, works, "ripple: turn 1\nfirst", mine},
		{"without a change", "", map[string]string{"commit": "true"}, nil, looks, "first", mine},
		{"without a change, tagged", "", map[string]string{"tag": "true"}, nil, looks, "first", ""},
		{"without a change, all", "", map[string]string{"commit": "true", "commit-all": "true"}, nil, looks, "first", mine},
		{"not to be committed then", "", nil, map[string]string{"commit": "true"}, looks, "first", mine},
		{"work, not to be committed then", "", nil, map[string]string{"commit": "true"}, works, "first", "before the loop: .ralph/PROMPT.md, a.txt, mine, mine.txt, work.txt; "},
		{"refused by a hook", hook, map[string]string{"commit": "true"}, nil, works, "ripple: turn 1\nfirst", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := repoRig(t, tt.turn)
			if tt.before != "" {
				r.sh(tt.before)
			}
			r.flags = map[string]string{"max-turns": "1"}
			for name, value := range tt.first {
				r.flags[name] = value
			}
			require.Equal(t, "max_turns", r.run().Reason)
			r.sh("echo mine > mine; echo mine >> a.txt; touch .git/ok")
			told := len(r.notes())
			for name, value := range tt.resumed {
				r.flags[name] = value
			}
			require.Equal(t, "max_turns", r.resume().Reason)
			assert.Equal(t, tt.commits, r.git("log", "--format=%s"))
			assert.Equal(t, "M a.txt", r.git("status", "--porcelain", "a.txt"))
			assert.Equal(t, "?? mine", r.git("status", "--porcelain", "mine"))
			said := strings.Join(r.notes()[told:], "\n")
			if tt.note != "" {
				assert.Contains(t, said, tt.note)
			} else {
				assert.NotContains(t, said, "before the loop")
			}
		})
	}
}

// Each row is a hook. Its refusal is reported to the agent and the work is committed once the
// agent has fixed it; changes by the hook are not lost.
func TestHooks(t *testing.T) {
	t.Parallel()
	fixes := func(d *doing) { d.writes("ok", ""); claims(d) }
	tests := []struct {
		name, hook, script string
		turns              []func(*doing)
		flags              map[string]string
		reason             string
		taken              int
		commits            string // last first, with their files
		left               string
	}{
		{"refuses once", "pre-commit", "test -e ok || { echo no paper; exit 1; }", script(works, fixes, claims), nil, "project_complete", 3, "3 work.txt\n2 ok work.txt", ""},
		{"refuses work claimed as done", "pre-commit", "test -e ok || { echo no paper; exit 1; }", script(claims, claims, fixes), nil, "project_complete", 3, "3 ok work.txt", ""},
		{"refuses without a word", "pre-commit", "test -e ok || exit 1", script(claims, claims, fixes), nil, "project_complete", 3, "3 ok work.txt", ""},
		{"always refuses", "commit-msg", "echo no paper; exit 1", script(works), nil, "conflict", 3, "", "?? work.txt"},
		{"in the ref", "reference-transaction", "test -e ok || { echo no paper; exit 1; }", script(works, fixes), map[string]string{"max-turns": "2"}, "max_turns", 2, "2 ok work.txt", ""},
		{"formats, and refuses once", "pre-commit", "test -e made && exit; touch made; echo f >> work.txt; echo no paper; exit 1", script(works, idles), map[string]string{"max-turns": "2"}, "max_turns", 2, "2 made work.txt", ""},
		{"formats and adds", "pre-commit", "echo f >> work.txt; git add work.txt", script(works), map[string]string{"max-turns": "1"}, "max_turns", 1, "1 work.txt", ""},
		{"formats and does not add", "pre-commit", "echo f >> work.txt", script(works, idles), map[string]string{"max-turns": "2"}, "max_turns", 2, "2 work.txt\n1 work.txt", "M work.txt"},
		{"comes after", "post-commit", "echo no paper; exit 1", script(works), map[string]string{"max-turns": "1"}, "max_turns", 1, "1 work.txt", ""},
	}
	for _, tt := range testkit.SampleOf(t, 2, 5, tests, func(i int) string { return tests[i].hook }) {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.turns...)
			r.project = newRepo(t)
			r.fake.dir = r.dir
			r.write(".git/info/exclude", ".ralph\n")
			r.write(".ralph/PROMPT.md", "Do the work.\n")
			r.write(".git/hooks/"+tt.hook, "#!/bin/sh\n"+tt.script+"\n")
			require.NoError(t, os.Chmod(filepath.Join(r.dir, ".git/hooks", tt.hook), 0o755))
			r.flags = map[string]string{"commit": "true"}
			for name, v := range tt.flags {
				r.flags[name] = v
			}
			stop := r.run()
			assert.Equal(t, tt.reason, stop.Reason, stop.Message)
			assert.Len(t, r.fake.requests, tt.taken)
			assert.NotContains(t, stop.Fix, "nothing was changed", "the agent's work is in the tree")
			var commits []string
			for _, sha := range strings.Fields(r.git("log", "--format=%h", "HEAD")) {
				if turn, ours := strings.CutPrefix(r.git("log", "-1", "--format=%s", sha), "ripple: turn "); ours {
					commits = append(commits, turn+" "+strings.Join(strings.Fields(r.git("show", "--format=", "--name-only", sha)), " "))
				}
			}
			assert.Equal(t, tt.commits, strings.Join(commits, "\n"))
			assert.Equal(t, tt.left, r.git("status", "--porcelain"))
			if strings.Contains(tt.script, "exit 1") && tt.taken > 1 {
				assert.Contains(t, r.fake.requests[1].Context, "Not committed, git refused: ")
				words := "exit code 1, without a message"
				if strings.Contains(tt.script, "no paper") {
					words = "no paper"
				}
				assert.Contains(t, r.fake.requests[1].Context, words)
				assert.Contains(t, strings.Join(r.notes(), "\n"), words)
			}
		})
	}
}

// Work that a hook refuses is not done, and the stop says so.
func TestHookThatRefusesFinishedWork(t *testing.T) {
	t.Parallel()
	r := repoRig(t, claims)
	r.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
	require.NoError(t, os.Chmod(filepath.Join(r.dir, ".git/hooks/pre-commit"), 0o755))
	r.flags = map[string]string{"commit": "true", "max-turns": "2"}
	stop := r.run()
	assert.Equal(t, "max_turns", stop.Reason)
	assert.Contains(t, stop.Message, "the agent said that the work is done, but it is not committed: git commit failed (exit code 1, without a message")
}

// A merge that the agent leaves open is reported to the agent, too.
func TestAMergeOfTheAgent(t *testing.T) {
	t.Parallel()
	r := repoRig(t, nil)
	r.sh(`git checkout -qb o; echo o > a.txt; git commit -qam o; git checkout -q main; echo m > a.txt; git commit -qam m`)
	r.fake.script = script(func(*doing) { r.sh("git merge -q o || true") }, func(*doing) { r.sh("echo both > a.txt; git commit -qam both") })
	r.flags = map[string]string{"commit": "true", "max-turns": "2"}
	assert.Equal(t, "max_turns", r.run().Reason)
	assert.Contains(t, r.fake.requests[1].Context, "a merge is unfinished")
	assert.Equal(t, "both", r.git("log", "-1", "--format=%s"))
}

// A run that was killed as the next turn began commits nothing in the name of the previous one,
// and still owes the files that a hook refused.
func TestKilledAsTheNextTurnBegins(t *testing.T) {
	t.Parallel()
	r := repoRig(t, works, works)
	r.write(".git/hooks/pre-commit", "#!/bin/sh\ntest -e ok\n")
	require.NoError(t, os.Chmod(filepath.Join(r.dir, ".git/hooks/pre-commit"), 0o755))
	r.flags = map[string]string{"commit": "true", "max-turns": "1"}
	assert.Equal(t, "max_turns", r.run().Reason)
	known := r.json(".ralph/.turn_snapshot")
	known["turn"] = 2
	data, err := json.Marshal(known)
	require.NoError(t, err)
	r.write(".ralph/.turn_snapshot", string(data))
	r.fake.script = script(func(d *doing) { d.writes("ok", "") }, func(d *doing) { d.writes("ok", "") })
	r.flags["max-turns"] = "2"
	assert.Equal(t, "max_turns", r.resume().Reason)
	assert.Equal(t, "ok\nwork.txt", r.git("show", "--format=", "--name-only", "HEAD"))
	assert.Equal(t, "ripple: turn 2\nfirst", r.git("log", "--format=%s"))
}
