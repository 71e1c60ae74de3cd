package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// roles are the roles of two different agents. The reviewer's first verdict comes from a command
// that its tool runs.
const roles = `
event_loop: {starting_event: plan.start, required_events: [review.passed], max_iterations: 8}
hats:
  planner:
    triggers: [plan.start]
    publishes: [plan.ready]
    instructions: Plan it.
  builder:
    triggers: [plan.ready, review.rejected]
    publishes: [build.done]
    backend: codex
    verify: [test -s work.txt]
    instructions: Build it.
  reviewer:
    triggers: [build.done]
    publishes: [review.rejected, review.passed, LOOP_COMPLETE]
    instructions: Judge it.
`

// role is the command that the agent's tool runs in each turn; its output becomes the answer.
const role = `n=$(($(cat turn 2>/dev/null || echo 0) + 1))
echo $n >turn
say() { printf 'done\n<event topic="%s">of turn %s</event>\n' "$1" $n; }
case $n in
1) say plan.ready ;;
2 | 4) echo "line $n" >>work.txt && say build.done ;;
3) ripple emit review.rejected 'one line is too few' ;;
5) say review.passed && say LOOP_COMPLETE ;;
esac
`

// A planner, a builder and a reviewer, two of them claude and one codex, with one rejection: each
// gets the topics that the others published, and continues its own conversation.
func TestHatsWithRealAgents(t *testing.T) {
	if os.Getenv(folder) == "" {
		t.Skipf("%s is not a folder with agents: make agents, then make test-agents", folder)
	}
	bin := t.TempDir()
	ripple := filepath.Join(bin, "ripple")
	out, err := exec.Command("go", "build", "-o", ripple, "example.org/ripple/cmd/ripple").CombinedOutput()
	require.NoError(t, err, "%s", out)
	installed := programs(t, ripple)
	for _, adapter := range []string{"claude", "codex"} {
		if !strings.HasPrefix(installed[adapter], os.Getenv(folder)+string(filepath.Separator)) {
			t.Skipf("%s is not installed in %s: tools/agents %s", adapter, os.Getenv(folder), adapter)
		}
	}
	claude, codex := newRig(t, "claude", ripple), newRig(t, "codex", ripple)
	codex.home = claude.home
	claude.work = t.TempDir()
	codex.work = claude.work
	for name, text := range map[string]string{"ripple.yml": roles, "role.sh": role} {
		require.NoError(t, os.WriteFile(filepath.Join(claude.work, name), []byte(text), 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*bound)
	defer cancel()
	const behavior = "tool/run=sh%20role.sh"
	cmd := claude.command(ctx, t, behavior)
	cmd.Env = append(cmd.Env, codex.command(ctx, t, behavior).Env...)
	cmd.Env = append(cmd.Env, "PATH="+bin+string(os.PathListSeparator)+filepath.Join(os.Getenv(folder), "node_modules", ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Args = []string{ripple, "run", "--adapter", "claude", "--json", "--prompt", "Work on work.txt."}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is checked
	assert.Empty(t, leftovers(claude.home), "processes that outlived ripple")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("exit code %d\n%s\n%s", cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
		}
	})
	assert.Equal(t, exitOK, cmd.ProcessState.ExitCode())
	var hats, topics, sessions []string
	var last struct {
		Type, Hat, Reason, ID string
		Topics                []struct{ Topic, From, To, Why string }
	}
	for line := range strings.Lines(stdout.String()) {
		last.Hat, last.Topics, last.ID = "", nil, ""
		require.NoError(t, json.Unmarshal([]byte(line), &last), line)
		switch last.Type {
		case "turn_started":
			hats = append(hats, last.Hat)
		case "session":
			sessions = append(sessions, last.ID)
		}
		for _, t := range last.Topics {
			topics = append(topics, strings.Join([]string{t.From, t.Topic, t.To, t.Why}, " "))
		}
	}
	assert.Equal(t, []string{"planner", "builder", "reviewer", "builder", "reviewer"}, hats)
	assert.Equal(t, []string{
		"planner plan.ready builder written", "builder build.done reviewer written", "reviewer review.rejected builder emitted",
		"builder build.done reviewer written", "reviewer review.passed plain written", "reviewer LOOP_COMPLETE  written: the completion promise",
	}, topics)
	assert.Equal(t, "project_complete", last.Reason)
	if assert.Len(t, sessions, 5) {
		assert.Equal(t, sessions[1], sessions[3], "the builder's")
		assert.Equal(t, sessions[2], sessions[4], "the reviewer's")
		assert.NotEqual(t, sessions[0], sessions[2])
	}
	assert.True(t, told(codex.asked(), "Your role in this turn: builder"))
	assert.True(t, told(codex.asked(), "one line is too few"), "the builder gets the reason for the rejection")
	assert.True(t, told(claude.asked(), "Your role in this turn: reviewer"))
	assert.False(t, told(claude.asked(), "Your role in this turn: builder"))
}
