package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// endState is how an agent can leave a repository.
type endState struct {
	name    string
	flags   string   // of ripple run
	start   string   // what the user did before, in bash
	turns   []string // one for each turn of the agent, in bash
	code    int      // exit code of ripple run, if it is not that of the limit of turns
	refused string   // beginnings of commands that git refuses, as a regular expression
	gone    string   // subjects of commits that the agent itself took from its branch, as a regular expression
}

// Flags of end states.
const (
	inWorktree   = "--worktree agent/w"
	worktree     = "--worktree agent/w --commit"
	checkout     = "--commit"
	agentCommits = ""
)

// Parts of turns. $PROJECT is the user's own checkout.
const (
	work      = "echo $TURN >> work-$TURN; "
	own       = "echo $TURN >> own; git add own; git commit -qm \"agent: turn $TURN\"; "
	detach    = "git checkout -q --detach; "
	leave     = "git checkout -q -b feature/own; "
	back      = "git checkout -q agent/w; "
	interrupt = "kill -TERM $PPID; exec tail -f /dev/null"
	users     = "cd \"$PROJECT\"; "
)

var endStates = []endState{
	{name: "the branch is kept", flags: worktree, turns: []string{work}},
	{name: "the branch is kept, the agent commits", flags: inWorktree, turns: []string{own}},
	{name: "the branch is kept, nobody commits", flags: inWorktree, turns: []string{work}},
	{name: "the branch is kept, the agent amends", flags: worktree, turns: []string{own, "git commit -q --amend -m amended"}, gone: "agent: turn 1"},
	{name: "the branch is kept and reset", flags: worktree, turns: []string{work, "git reset -q --hard main"}},
	{name: "the branch is kept and reset in the same turn", flags: worktree, turns: []string{own + "git reset -q --hard HEAD~1"}},
	{name: "the branch is kept and reset, and it goes on", flags: worktree, turns: []string{work, "git reset -q --hard main; " + own}},
	{name: "detached", flags: worktree, turns: []string{detach + work}},
	{name: "detached, the agent commits", flags: inWorktree, turns: []string{detach + own}},
	{name: "detached, nobody commits", flags: inWorktree, turns: []string{detach + work}},
	{name: "detached, nothing is done", flags: worktree, turns: []string{work, detach}},
	{name: "detached for two turns", flags: worktree, turns: []string{detach + work, work}},
	{name: "detached after a turn on the branch", flags: worktree, turns: []string{work, detach + work}},
	{name: "detached elsewhere after a turn on the branch", flags: worktree, turns: []string{work, "git checkout -q --detach main; " + work}},
	{name: "detached, and back in the next turn", flags: worktree, turns: []string{detach + work, back + work}},
	{name: "detached, and back in the same turn", flags: inWorktree, turns: []string{detach + own + back}},
	{name: "detached twice, and back", flags: worktree, turns: []string{detach + work, "git checkout -q --detach main; " + own, back}},
	{name: "detached, with tags", flags: worktree + " --tag", turns: []string{detach + work}},
	{name: "detached at a commit with a tag", flags: inWorktree, turns: []string{detach + own + "git tag v1"}},
	{name: "left, and detached", flags: inWorktree, turns: []string{leave + own + detach}},
	{name: "left", flags: worktree, turns: []string{leave + work, work}},
	{name: "left, the agent commits", flags: inWorktree, turns: []string{leave + own}},
	{name: "left, nobody commits", flags: inWorktree, turns: []string{leave + work}},
	{name: "left, and back in the next turn", flags: worktree, turns: []string{leave + work, back + work}},
	{name: "left, and back in the same turn", flags: inWorktree, turns: []string{leave + own + back}},
	{name: "left for a branch without the commits of a turn", flags: worktree, turns: []string{work, "git checkout -q -b feature/own main; " + own}},
	{name: "left for a branch without the commits of a turn, and deleted later", flags: worktree, turns: []string{work, "git checkout -q -b feature/own main; " + own, "git branch -qD agent/w"}},
	{name: "left for a branch without the commits of a turn, and reset later", flags: worktree, turns: []string{work, "git checkout -q -b feature/own main; " + own, "git branch -qf agent/w main"}},
	{name: "left for a branch without the commits of a turn, and back after a reset", flags: worktree, turns: []string{work, "git checkout -q -b feature/own main; " + own, "git checkout -q -B agent/w main"}},
	{name: "left for a branch of the user", flags: worktree, start: "export GIT_COMMITTER_DATE='2020-01-01 12:00'; git checkout -q -b topic; " + own + "git checkout -q main", turns: []string{work, "git checkout -q topic"}},
	{name: "left for a branch with a strange name", flags: worktree, turns: []string{`git checkout -q -b "it's;\$HOME"; ` + work}},
	{name: "left for a branch without commits", flags: worktree, turns: []string{work, "git checkout -q --orphan blank; git rm -qrf ."}},
	{name: "renamed", flags: worktree, turns: []string{work, "git branch -m agent/w other; " + work}},
	{name: "deleted, detached", flags: worktree, turns: []string{detach + work, "git branch -qD agent/w"}},
	{name: "deleted with the commits of a turn", flags: worktree, turns: []string{work, "git checkout -q -b feature/own main; git branch -qD agent/w; " + work}},
	{name: "deleted below the working tree", flags: worktree, turns: []string{work, "git update-ref -d refs/heads/agent/w"}, refused: "git (diff main...|merge )agent/w"},
	{name: "deleted for one that takes its directory", flags: worktree, turns: []string{detach + own + "git branch -qD agent/w; git branch agent main"}},
	{name: "rebase unfinished", flags: worktree, turns: []string{work, "git checkout -q -b other main; echo theirs > work-1; git add work-1; git commit -qm theirs; " + back + "git rebase -q other >&2 || true"}},
	{name: "the working tree is removed", flags: worktree, turns: []string{detach + work, users + "git worktree remove --force .ralph/agent/w-worktree"}, code: ui.ExitFailed},
	{name: "interrupted in the turn in which it came back", flags: worktree, turns: []string{detach + work, back + interrupt}, code: ui.ExitInterrupted},
	{name: "interrupted in the turn in which it left", flags: worktree, turns: []string{work, detach + own + back + interrupt}, code: ui.ExitInterrupted},
	{name: "merged by the agent", flags: worktree, turns: []string{own + users + "git merge -q agent/w"}},
	{name: "cherry-picked by the agent", flags: worktree, turns: []string{own + users + "echo theirs > theirs; git add theirs; git commit -qm theirs; git cherry-pick agent/w >&2"}},
	{name: "one of two cherry-picked by the agent", flags: worktree, turns: []string{own + "echo 2 > more; git add more; git commit -qm more; " + users + "echo theirs > theirs; git add theirs; git commit -qm theirs; git cherry-pick agent/w >&2"}},
	{name: "squash-merged by the agent", flags: worktree, turns: []string{own + users + "git merge -q --squash agent/w >&2; git commit -qm squashed"}},
	{name: "another working tree of the agent", flags: worktree, turns: []string{work + "git worktree add -q ../more -b more; cd ../more; " + own}},
	{name: "another working tree of the agent, in an ignored directory", flags: worktree, turns: []string{work + "git worktree add -q .ralph/in -b inner; cd .ralph/in; " + own}},
	{name: "another working tree of the agent, in an ignored directory and detached", flags: worktree, turns: []string{work + "git worktree add -q --detach .ralph/in; cd .ralph/in; " + own}},

	{name: "the user's checkout: another branch", flags: worktree, turns: []string{users + "git checkout -q -b agents-branch; echo bad >> mine"}},
	{name: "the user's checkout: another branch with commits", flags: worktree, turns: []string{work + users + "git checkout -q -b agents-branch; " + own}},
	{name: "the user's checkout: detached", flags: worktree, turns: []string{work + users + detach + own}},
	{name: "the user's checkout: detached, and back", flags: worktree, turns: []string{work + users + detach + own + "git checkout -q main"}},
	{name: "the user's checkout: reset", flags: inWorktree, turns: []string{work + users + own, users + "git reset -q --hard HEAD~1"}},
	{name: "the user's checkout: files", flags: worktree, turns: []string{work + users + "echo bad >> mine; echo bad > new"}},
	{name: "the user's checkout: renamed", flags: worktree, turns: []string{work + users + "git branch -m main trunk"}},

	{name: "no working tree", flags: checkout, turns: []string{work, work}},
	{name: "no working tree: left", flags: checkout, turns: []string{leave + work, work}},
	{name: "no working tree: left, the agent commits", flags: agentCommits, turns: []string{leave + own}},
	{name: "no working tree: left, nobody commits", flags: agentCommits, turns: []string{leave + work}},
	{name: "no working tree: left, and back", flags: checkout, turns: []string{leave + work, "git checkout -q main; " + work}},
	{name: "no working tree: left after a turn", flags: checkout, turns: []string{work, "git checkout -q -b feature/own main~1; " + own}},
	{name: "no working tree: detached", flags: checkout, turns: []string{detach + work}},
	{name: "no working tree: left, and detached", flags: agentCommits, turns: []string{leave + own + detach}},
	{name: "no working tree: detached, and back", flags: checkout, turns: []string{detach + work, "git checkout -q main"}},
	{name: "no working tree: detached at an old commit", flags: checkout, turns: []string{work, "git checkout -q main~1"}},
	{name: "no working tree: renamed", flags: checkout, turns: []string{work + "git branch -m trunk"}},
	{name: "no working tree: it began on no branch", flags: checkout, start: "git checkout -q --detach", turns: []string{work}},
	{name: "no working tree: it began on no branch, and left", flags: checkout, start: "git checkout -q --detach; " + own, turns: []string{"git checkout -q main; " + work}},
	{name: "no commits at all", flags: checkout, start: "rm -rf .git; git init -q -b main", turns: []string{leave + own}},
}

// endStateRepo is the repository of an end state.
type endStateRepo struct {
	t       *testing.T
	home    string
	project string
}

const turnScript = `cat > /dev/null
TURN=$(($(cat "$HOME/turn" 2> /dev/null) + 1)); echo $TURN > "$HOME/turn"
eval "$(cat "$HOME/turn-$TURN.sh")"
`

func newEndState(t *testing.T, s endState) *endStateRepo {
	home := t.TempDir()
	r := &endStateRepo{t, home, filepath.Join(home, "project")}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	write("agent.sh", turnScript)
	write(".gitconfig", "[user]\nname = t\nemail = t@localhost\n[maintenance]\nauto = false\n[init]\ndefaultBranch = main\n[advice]\ndetachedHead = false\n")
	for n, turn := range s.turns {
		write(fmt.Sprintf("turn-%d.sh", n+1), turn)
	}
	require.NoError(t, os.Mkdir(r.project, 0o755))
	write("project/ripple.yml", "cli: {backend: custom, command: bash, args: [../agent.sh], prompt_mode: stdin}\n")
	write("project/.gitignore", ".ralph/\n")
	write("project/mine", "mine\n")
	if strings.Contains(s.flags, "--worktree") {
		write("project/ripple.yml", "cli: {backend: custom, command: bash, args: [../../../../agent.sh], prompt_mode: stdin}\n")
	}
	r.must("git init -q --template=; git add .; git commit -qm begin; TURN=user; " + s.start)
	return r
}

func (r *endStateRepo) sh(command string) (string, error) {
	cmd := exec.Command("bash", "-ec", command)
	cmd.Dir = r.project
	cmd.Env = append(os.Environ(), "HOME="+r.home, "PROJECT="+r.project, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=echo kept >", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *endStateRepo) must(command string) string {
	r.t.Helper()
	out, err := r.sh(command)
	require.NoErrorf(r.t, err, "%s: %s", command, out)
	return out
}

// run runs the loop and returns what it said at the end.
func (r *endStateRepo) run(s endState) (summary string) {
	r.t.Helper()
	path, err := binary()
	require.NoError(r.t, err)
	said, err := r.sh(fmt.Sprintf("%s run --trust --prompt x --max-turns %d %s < /dev/null 2>&1 > /dev/null", path, len(s.turns), s.flags))
	exit, _ := err.(*exec.ExitError)
	require.NotNil(r.t, exit, said)
	want := s.code
	if want == 0 {
		want = ui.ExitLimit
	}
	require.Equal(r.t, want, exit.ExitCode(), said)
	_, summary, found := strings.Cut(said, "\n  turns ")
	require.True(r.t, found, said)
	return "  turns " + summary
}

// adviceOf returns the commands of a summary: those of the rows whose labels begin with "to", and
// of the rows that continue them.
func adviceOf(summary string) (all, removing []string) {
	label := ""
	for line := range strings.Lines(summary) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) < 14 || !strings.HasPrefix(line, "  ") || line[12] != ' ' {
			label = ""
			continue
		}
		if l := strings.TrimSpace(line[:12]); l != "" {
			label = l
		}
		if !strings.HasPrefix(label, "to ") {
			continue
		}
		all = append(all, line[13:])
		if label == "to remove" {
			removing = append(removing, line[13:])
		}
	}
	return all, removing
}

var fsckCommit = regexp.MustCompile(`(?m)^unreachable commit ([0-9a-f]{40})$`)

// unreachable returns the commits that git could remove. With logs, the log of a HEAD or a branch
// keeps a commit, too.
func (r *endStateRepo) unreachable(logs bool) (commits []string) {
	r.t.Helper()
	flag := "--no-reflogs"
	if logs {
		flag = "--reflogs"
	}
	// Otherwise git starts two more processes, which look for files that this repository does not have.
	out := r.must("git -c core.commitGraph=false -c core.multiPackIndex=false fsck --no-progress --unreachable " + flag + " 2> /dev/null")
	for _, m := range fsckCommit.FindAllStringSubmatch(out, -1) {
		commits = append(commits, m[1])
	}
	return commits
}

// commits returns all commits of the repository that count, with their subjects.
func (r *endStateRepo) commits(gone string) map[string]string {
	r.t.Helper()
	list := map[string]string{}
	var ids []string
	for line := range strings.Lines(r.must("git cat-file --batch-all-objects --batch-check")) {
		if id, _, is := strings.Cut(line, " commit "); is {
			ids = append(ids, id)
		}
	}
	log := r.must("git log --no-walk --format='%H %s' " + strings.Join(ids, " "))
	for line := range strings.Lines(log) {
		id, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if gone == "" || !regexp.MustCompile("^("+gone+")$").MatchString(subject) {
			list[id] = subject
		}
	}
	return list
}

// lost returns the subjects of those commits that are in list and not in before.
func lost(commits map[string]string, before, list []string) (subjects []string) {
	for _, id := range list {
		if subject := commits[id]; subject != "" && !slices.Contains(before, id) {
			subjects = append(subjects, subject)
		}
	}
	return subjects
}

// branches describes the branches: name and subjects of the commits.
func (r *endStateRepo) branches() string {
	var b strings.Builder
	for name := range strings.Lines(r.must("git for-each-ref --format='%(refname:short)' refs/heads")) {
		name = strings.TrimSpace(name)
		subjects := strings.Split(strings.TrimSpace(r.must("git log --format=%s refs/heads/"+shellWord(name))), "\n")
		slices.Sort(subjects)
		fmt.Fprintf(&b, "    %s: %s\n", name, strings.Join(slices.Compact(subjects), ", "))
	}
	return b.String()
}

func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// restored runs a function in the state that the loop left.
func (r *endStateRepo) restored(what func()) {
	r.t.Helper()
	what()
	require.NoError(r.t, os.RemoveAll(r.project))
	r.copy(r.project+".end", r.project)
}

func (r *endStateRepo) copy(from, to string) {
	r.t.Helper()
	out, err := exec.Command("cp", "-a", from, to).CombinedOutput()
	require.NoError(r.t, err, string(out))
}

var (
	commitName = regexp.MustCompile(`\b[0-9a-f]{10}([0-9a-f]{30})?\b`)
	duration   = regexp.MustCompile(`(turns +\d+) in \d+s`)
)

// review returns the text of a summary for people: commits have their subjects.
func review(summary string, commits map[string]string) string {
	text := commitName.ReplaceAllStringFunc(summary, func(short string) string {
		for id, subject := range commits {
			if strings.HasPrefix(id, short) {
				return "<" + subject + ">"
			}
		}
		return short
	})
	text, _, _ = strings.Cut(duration.ReplaceAllString(text, "$1"), "\nripple: ")
	return text + "\n"
}

// Advice followed in any order, or only in part, loses no commit; followed from top to bottom, each
// command succeeds, and every commit is on a branch. The golden file has the summaries for review;
// without RIPPLE_THOROUGH an eighth of the states is tested.
func TestAdviceLosesNoCommit(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	path := filepath.Join("testdata", "end_states.txt")
	golden, err := os.ReadFile(path)
	require.NoError(t, err)
	texts := make([]string, len(endStates))
	taken := 0
	t.Run("states", func(t *testing.T) {
		for n, s := range endStates {
			if !*update {
				assert.NotEqual(t, "\n", textOf(string(golden), s.name), "%s: -update writes its text", s.name)
			}
			if !testkit.Thorough && !*update && n%8 != 1 {
				continue
			}
			taken++
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				texts[n] = testEndState(t, s)
				if !*update {
					assert.Equal(t, textOf(string(golden), s.name), texts[n], "-update writes it: read the difference")
				}
			})
		}
	})
	testkit.LogSample(t, taken, len(endStates))
	if *update {
		var all strings.Builder
		for n, s := range endStates {
			fmt.Fprintf(&all, "%s\n%s\n", s.name, texts[n])
		}
		require.NoError(t, os.WriteFile(path, []byte(all.String()), 0o644))
	}
}

// textOf returns what the golden file has of a state.
func textOf(golden, name string) string {
	_, text, _ := strings.Cut("\n"+golden, "\n"+name+"\n")
	text, _, _ = strings.Cut(text, "\n\n")
	return text + "\n"
}

func testEndState(t *testing.T, s endState) (text string) {
	r := newEndState(t, s)
	summary := r.run(s)
	commits := r.commits(s.gone)
	text = review(summary, commits)
	advice, removing := adviceOf(summary)
	r.copy(r.project, r.project+".end")
	loose, dropped := r.unreachable(false), r.unreachable(true)

	r.restored(func() {
		for _, command := range advice {
			out, err := r.sh(command)
			if s.refused == "" || !regexp.MustCompile("^"+s.refused).MatchString(command) {
				require.NoErrorf(t, err, "%s\n%s: %s", summary, command, out)
			}
		}
		kept := strings.Fields(r.must("git rev-list --branches --tags"))
		for id, subject := range commits {
			assert.Contains(t, kept, id, "%s: no branch has %q", summary, subject)
		}
		assert.Empty(t, lost(commits, nil, r.unreachable(false)), summary)
		text += "  then the branches are\n" + r.branches()
	})
	parts := [][]string{removing, backwards(advice)}
	if testkit.Thorough {
		for _, command := range advice {
			parts = append(parts, []string{command})
		}
	}
	for _, part := range parts {
		if len(part) == 0 || slices.Equal(part, advice) { // that was followed above, or is nothing
			continue
		}
		r.restored(func() {
			for _, command := range part {
				_, _ = r.sh(command) // git may refuse
			}
			now := r.unreachable(false)
			assert.Empty(t, lost(commits, loose, now), "%s%s", summary, part)
			if len(lost(commits, dropped, now)) > 0 { // a log may keep them
				assert.Empty(t, lost(commits, dropped, r.unreachable(true)), "%s%s", summary, part)
			}
		})
	}
	return text
}

func backwards(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
