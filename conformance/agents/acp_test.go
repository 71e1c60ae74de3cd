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

// editors returns what clients of ripple acp need, from a folder with agents.
func editors(t *testing.T, pack string) (path, ripple string) {
	t.Helper()
	path = filepath.Join(os.Getenv(folder), "node_modules", pack)
	if _, err := os.Stat(path); os.Getenv(folder) == "" || err != nil {
		t.Skipf("%s is not a folder with %s: make agents", folder, pack)
	}
	ripple = filepath.Join(t.TempDir(), "ripple")
	out, err := exec.Command("go", "build", "-o", ripple, "example.org/ripple/cmd/ripple").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path, ripple
}

// client is the input of testdata/acp/client.mjs.
type client struct {
	Command []string `json:"command"`
	Dir     string   `json:"cwd"`
	Prompts []string `json:"prompts"`
	Choose  string   `json:"choose"` // kind of the option to choose; empty: dismiss the question
}

type clientTold struct {
	Stops, Asked    []string
	Updates, Loaded []struct {
		SessionUpdate, Title, Kind, Status string

		Content json.RawMessage
	}
	Refused, Exit int
}

// text returns the text of all updates of a kind.
func (c clientTold) text(kind string) string {
	var b strings.Builder
	for _, u := range c.Updates {
		if u.SessionUpdate == kind {
			b.WriteString(u.Title + " " + string(u.Content) + "\n")
		}
	}
	return b.String()
}

func (c client) run(t *testing.T, sdk string, env []string) (told clientTold) {
	t.Helper()
	job, err := json.Marshal(c)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "testdata/acp/client.mjs", filepath.Join(sdk, "dist/v1/stable/acp.js"), string(job))
	cmd.Env = env
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	require.NoError(t, cmd.Run(), "%s%s", &out, &said)
	require.NoError(t, json.Unmarshal(out.Bytes(), &told), "%s", &out)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\n%s", &out, &said)
		}
	})
	return told
}

const asksOnce = `turns:
  - steps:
      - text: I begin.
      - status: {STATUS: BLOCKED, RECOMMENDATION: "Hello or hi?"}
  - steps:
      - write: {path: greet.sh, content: "echo hi\n"}
      - edit: {path: .ralph/@fix_plan.md, old: "- [ ] greet", new: "- [x] greet"}
      - text: "{prompt}"
    usage: {input: 10, output: 1, cost_usd: 0.01}
`

// The official SDK accepts all messages as valid.
func TestTheOfficialClient(t *testing.T) {
	sdk, ripple := editors(t, "@agentclientprotocol/sdk")
	home := t.TempDir()
	play := filepath.Join(home, "scenario.yaml")
	require.NoError(t, os.WriteFile(play, []byte(asksOnce), 0o600))
	env := append(os.Environ(), "HOME="+home, "RIPPLE_SCENARIO="+play)
	project := func(t *testing.T) string {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, ".ralph"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".ralph/@fix_plan.md"), []byte("- [ ] greet\n"), 0o600))
		return dir
	}
	command := []string{ripple, "acp", "--adapter", "rehearsal"}

	t.Run("a question that is answered", func(t *testing.T) {
		told := client{Command: append(command, "--", "--verify", "test -e greet.sh"), Dir: project(t), Prompts: []string{"Greet."}, Choose: "allow_once"}.run(t, sdk, env)
		assert.Equal(t, []string{"end_turn"}, told.Stops)
		assert.Equal(t, []string{"Hello or hi?"}, told.Asked)
		assert.Contains(t, told.text("agent_message_chunk"), "Decide for yourself, and continue.")
		assert.Contains(t, told.text("tool_call"), "Verify: test -e greet.sh")
		assert.NotEmpty(t, told.text("plan"))
		assert.NotEmpty(t, told.text("usage_update"))
		assert.NotEmpty(t, told.Loaded)
		assert.Equal(t, -32002, told.Refused)
		assert.Zero(t, told.Exit)
	})
	t.Run("a question answered by the next prompt", func(t *testing.T) {
		told := client{Command: command, Dir: project(t), Prompts: []string{"Greet.", "hi"}}.run(t, sdk, env)
		assert.Equal(t, []string{"refusal", "end_turn"}, told.Stops)
		assert.Contains(t, told.text("agent_message_chunk"), `    hi\n`)
	})
	t.Run("single turns", func(t *testing.T) {
		told := client{Command: append(command, "--turn"), Dir: project(t), Prompts: []string{"Greet.", "Again."}}.run(t, sdk, env)
		assert.Equal(t, []string{"end_turn", "end_turn"}, told.Stops)
		assert.Contains(t, told.text("agent_message_chunk"), "I begin.")
	})
}

// editorsLoop runs a loop of a real agent from an editor.
func editorsLoop(t *testing.T, r rig) {
	sdk := filepath.Join(os.Getenv(folder), "node_modules/@agentclientprotocol/sdk")
	if _, err := os.Stat(sdk); err != nil {
		t.Skip("the protocol's SDK is not installed: make agents")
	}
	if d := r.differs(t); d.Unseen {
		t.Skip(d.Because)
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.work, "work.sh"), []byte(work), 0o600))
	env := r.command(t.Context(), t, "tool/run=sh%20work.sh").Env
	told := client{
		Command: []string{r.ripple, "acp", "--adapter", r.adapter, "--", "--verify", "test $(wc -l <work.txt) -ge 2", "--max-turns", "6"},
		Dir:     r.work, Prompts: []string{"Work on work.txt."},
	}.run(t, sdk, env)
	assert.Empty(t, leftovers(r.home), "processes that outlived ripple")
	assert.Equal(t, []string{"end_turn"}, told.Stops)
	assert.Contains(t, told.text("tool_call"), "sh work.sh")
	assert.Contains(t, told.text("tool_call_update"), "worked")
	assert.Contains(t, told.text("tool_call"), "Verify: ")
}

// acpx is a client for terminals.
func TestTheClientForTerminals(t *testing.T) {
	acpx, ripple := editors(t, ".bin/acpx")
	home, project := t.TempDir(), t.TempDir()
	play := filepath.Join(home, "scenario.yaml")
	require.NoError(t, os.WriteFile(play, []byte(asksOnce), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, acpx, "--agent", ripple+" acp --adapter rehearsal -- --max-turns 2", "--cwd", project, "--approve-all", "--format", "json", "exec", "Greet.")
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "HOME="+home, "RIPPLE_SCENARIO="+play)
	out, err := cmd.CombinedOutput()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%v\n%s", err, out)
		}
	})
	assert.FileExists(t, filepath.Join(project, "greet.sh"))
	assert.Contains(t, string(out), "Decide for yourself, and continue.")
	assert.Contains(t, string(out), "max_turn_requests")
}
