//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// wayBack finds the command that a loop gives whose working tree has another commit checked out than its branch.
var wayBack = regexp.MustCompile("Run `([^`]*)`")

// kill -9 of ripple during a turn that has committed on a detached HEAD, and --resume: the commit is named, and the
// advice puts it on a branch.
func TestKilledTurnThatCommittedDetached(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	const killed = "kill -9 $PPID; exec tail -f /dev/null"
	tests := []endState{
		{name: "still detached", flags: worktree, turns: []string{work, detach + own + killed, work}},
		{name: "back on its branch", flags: worktree, turns: []string{work, detach + own + back + killed, work}},
		{name: "the user's checkout, and back", flags: worktree, turns: []string{work, users + detach + own + "git checkout -q main; " + killed, work}},
		{name: "no working tree, still detached", flags: checkout, turns: []string{work, detach + own + killed, work}},
		{name: "no working tree, and back", flags: agentCommits, turns: []string{work, detach + own + "git checkout -q main; " + killed, work}},
	}
	for _, tt := range testkit.SampleOf(t, 3, 3, tests, func(i int) string { return tests[i].flags }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newEndState(t, tt)
			path, err := binary()
			require.NoError(t, err)
			run := func(more string) (said string, code int) {
				said, err := r.sh(fmt.Sprintf("exec %s run --trust --prompt x --max-turns 2 %s %s < /dev/null 2>&1 > /dev/null", path, tt.flags, more))
				exit, _ := err.(*exec.ExitError)
				require.NotNil(t, exit, said)
				return said, exit.ExitCode()
			}
			said, code := run("")
			require.NotContains(t, said, "\n  turns ", "it was killed")
			require.NotEqual(t, ui.ExitLimit, code, said)
			said, code = run("--resume")
			require.Equal(t, ui.ExitLimit, code, said)
			_, summary, _ := strings.Cut(said, "\n  turns ")

			commits := r.commits("")
			own := ""
			for id, subject := range commits {
				if subject == "agent: turn 2" {
					own = id
				}
			}
			require.NotEmpty(t, own, "%v", commits)
			require.Contains(t, r.must("git rev-list --all --reflog"), own)
			assert.Contains(t, said, own[:10], "it is named")
			advice, _ := adviceOf("  turns " + summary)
			if way := wayBack.FindStringSubmatch(said); way != nil {
				advice = way[1:]
			}
			for _, command := range advice {
				out, err := r.sh(command)
				require.NoErrorf(t, err, "%s\n%s: %s", said, command, out)
			}
			assert.Contains(t, strings.Fields(r.must("git rev-list --branches --tags")), own, said)
			assert.Empty(t, lost(commits, nil, r.unreachable(false)), said)
		})
	}
}
