package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/standin"
)

// Exit codes of ripple.
const (
	exitOK, exitFailed, exitUsage, exitTimedOut, exitLimit, exitBlocked, exitInterrupted = 0, 1, 2, 4, 5, 8, 130
)

// cases are the requirements for every agent. The stand-in's base URL selects the behavior of its
// model.
var cases = []struct {
	name string
	run  func(t *testing.T, r rig)
}{
	{"a plain answer", plainAnswer},
	{"a tool and its result", tool},
	{"a tool that fails", failingTool},
	{"a tool that is refused", deniedTool},
	{"a list of allowed tools", allowedTools},
	{"a session is continued", resume},
	{"an unknown session", unknownSession},
	{"not logged in", func(t *testing.T, r rig) { failure(t, r, "401", "auth", exitBlocked) }},
	{"a rate limit", func(t *testing.T, r rig) { failure(t, r, "429", "rate_limited", exitLimit) }},
	{"a limit during which it retries", func(t *testing.T, r rig) { waitedOut(t, r, "429", "rate_limited", exitLimit) }},
	{"a refused login that it retries", func(t *testing.T, r rig) { waitedOut(t, r, "401", "auth", exitBlocked) }},
	{"a server error", func(t *testing.T, r rig) { failure(t, r, "503", "overloaded", exitLimit) }},
	{"a connection that breaks", func(t *testing.T, r rig) { failure(t, r, "drop", "overloaded", exitLimit) }},
	{"a prompt of 200 KB", largePrompt},
	{"an interrupt while the model is silent", func(t *testing.T, r rig) { interrupt(t, r) }},
	{"a turn on its screen", onScreen},
	{"its screen at several sizes", inSizes},
	{"a person's answer on its screen", func(t *testing.T, r rig) { asksSomebody(t, r, "screen") }},
	{"a person's answer over the protocol", func(t *testing.T, r rig) { asksSomebody(t, r, "acp") }},
	{"a mode that asks, without a user", asksNobody},
	{"a cancel over the protocol", cancelled},
	{"a loop that is verified", loop},
	{"an adapter that is improved", makesAdapterBetter},
	{"a loop that an editor drives", editorsLoop},
	{"consoles of ripple's", usesConsoles},
	{"turns in a box", inBox},
	{"its own sandbox in a box", nestedSandbox},
}

// absent skips the test of an agent that is missing, or fails if REQUIRE_AGENTS=1.
func absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("REQUIRE_AGENTS") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

func TestAgents(t *testing.T) {
	if os.Getenv(folder) == "" {
		absent(t, "%s is not a folder with agents: make agents, then make test-agents", folder)
	}
	ripple := filepath.Join(t.TempDir(), "ripple")
	out, err := exec.Command("go", "build", "-o", ripple, "example.org/ripple/cmd/ripple").CombinedOutput()
	require.NoError(t, err, "%s", out)
	installed := programs(t, ripple)
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		adapter := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(adapter, func(t *testing.T) {
			if !strings.HasPrefix(installed[adapter], os.Getenv(folder)+string(filepath.Separator)) {
				absent(t, "not installed in %s: tools/agents %s", os.Getenv(folder), adapter)
			}
			t.Parallel()
			r := newRig(t, adapter, ripple)
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					r := r
					r.work = t.TempDir()
					c.run(t, r)
				})
			}
		})
	}
}

// programs returns the paths of the adapters' programs.
func programs(t *testing.T, ripple string) map[string]string {
	t.Helper()
	cmd := exec.Command(ripple, "adapter", "list", "--json")
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(os.Getenv(folder), "node_modules", ".bin"))
	data, err := cmd.Output()
	require.NoError(t, err)
	var list []struct{ Name, Executable string }
	require.NoError(t, json.Unmarshal(data, &list))
	paths := map[string]string{}
	for _, a := range list {
		paths[a.Name] = a.Executable
	}
	return paths
}

// worked checks the properties of every successful turn.
func worked(t *testing.T, s turn) {
	t.Helper()
	assert.Equal(t, exitOK, s.exit)
	assert.Nil(t, s.outcome.Failure)
	assert.NotEmpty(t, s.outcome.SessionID, "required to continue a session")
	assert.Empty(t, s.of("unknown"), "lines unknown to the adapter")
	assert.Empty(t, s.outcome.Problems)
	assert.Contains(t, s.outcome.Text, "STANDIN-OK")
	assert.Contains(t, s.outcome.Text, "Žluťoučký kůň, 日本語, 👩‍💻.", "characters that arrive in pieces")
}

func plainAnswer(t *testing.T, r rig) {
	s := r.turn(t, "text", "say hello")
	worked(t, s)
	assert.Len(t, s.of("text"), 1)
	if !r.differs(t).Unseen {
		assert.Len(t, s.of("finished"), 1)
	}
	assert.True(t, told(s.asked, "say hello"))
}

// told reports whether the user told the model this text, in one message.
func told(asked []standin.Exchange, text string) bool {
	return slices.ContainsFunc(asked, func(e standin.Exchange) bool {
		return slices.ContainsFunc(e.Messages, func(m standin.Message) bool {
			return m.Role == "user" && strings.Contains(m.Text, text)
		})
	})
}

func tool(t *testing.T, r rig) {
	s := r.turn(t, "tool", "run it")
	worked(t, s)
	uses, results := s.of("tool_use"), s.of("tool_result")
	require.Len(t, uses, 1)
	require.Len(t, results, 1)
	assert.Equal(t, "bash", uses[0].Tool)
	assert.Contains(t, string(uses[0].Input), "echo standin-tool-ran")
	assert.Equal(t, uses[0].ID, results[0].ID)
	assert.False(t, results[0].IsError)
	assert.Contains(t, results[0].Content, "standin-tool-ran")
	assert.Contains(t, s.outcome.Text, "The tool said: ", "the model saw the result")
}

func failingTool(t *testing.T, r rig) {
	s := r.turn(t, "failtool", "run it")
	worked(t, s)
	results := s.of("tool_result")
	require.Len(t, results, 1)
	assert.Equal(t, !r.differs(t).Unseen, results[0].IsError)
	assert.Contains(t, s.outcome.Text, "The tool said: ", "the model saw the result")
}

// A refused tool does not stop an agent; ripple reports the refusal.
func deniedTool(t *testing.T, r rig) {
	d := r.setup.Deny
	args := []string{"write it"}
	if d.Mode != "" {
		args = append(args, "--permission-mode", d.Mode)
	}
	for key, value := range d.Env {
		args = append(args, "--env", key+"="+value)
	}
	s := r.turn(t, cmp.Or(d.Behavior, "edit"), args...)
	assert.NoFileExists(t, filepath.Join(r.work, "standin.txt"))
	if r.differs(t).Unseen {
		worked(t, s)
		return
	}
	assert.Nil(t, s.outcome.Failure)
	assert.Equal(t, exitBlocked, s.exit)
	assert.Equal(t, 1, s.outcome.Denials)
	assert.Len(t, s.of("permission_denied"), 1)
}

// A tool outside the list is refused by the program itself, even if the project's own configuration
// allows it; a tool in the list runs. An agent that does not support such a list refuses a turn
// with one.
func allowedTools(t *testing.T, r rig) {
	l := r.setup.Limit
	if l.Because != "" {
		ctx, cancel := context.WithTimeout(t.Context(), bound)
		defer cancel()
		before, cmd := len(r.asked()), r.command(ctx, t, "text", "--allowed-tools", "Read", "write it")
		said, _ := cmd.CombinedOutput() // the exit code is checked
		assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode())
		assert.Contains(t, string(said), "this agent has no allowed tools")
		assert.Len(t, r.asked(), before, "the model is not asked")
		return
	}
	require.NotEmpty(t, l.Calls)
	written := filepath.Join(r.work, "standin.txt")
	for path, text := range l.Allow {
		path = filepath.Join(r.work, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, call := range l.Calls {
		s := r.turn(t, call.behavior(t, r.work), "--allowed-tools", l.Without, "write it")
		assert.NoFileExists(t, written, "%s is not one of %s", call.Name, l.Without)
		assert.NotEmpty(t, results(s.asked), "%s: the model is informed of the refusal", call.Name)
		for _, offered := range s.asked {
			assert.NotContains(t, offered.Tools, call.Name)
		}
	}
	s := r.turn(t, l.Calls[0].behavior(t, r.work), "--allowed-tools", l.With, "write it")
	assert.Equal(t, exitOK, s.exit)
	assert.FileExists(t, written, "%s is one of %s", l.Calls[0].Name, l.With)
}

// results returns the results of tools sent to the model.
func results(asked []standin.Exchange) (list []string) {
	for _, e := range asked {
		for _, m := range e.Messages {
			list = append(list, m.Results...)
		}
	}
	return list
}

func resume(t *testing.T, r rig) {
	first := r.turn(t, "text", "my first words")
	worked(t, first)
	second := r.turn(t, "text", "--resume", first.outcome.SessionID, "and my second")
	worked(t, second)
	assert.Equal(t, first.outcome.SessionID, second.outcome.SessionID)
	assert.True(t, told(second.asked, "my first words"), "the model gets the earlier messages")
	want := first.outcome.Tokens
	assert.Equal(t, r.differs(t).Tokens == "none", want.Input == 0)
	if r.differs(t).Tokens == "session" {
		want.Input, want.Output = 2*want.Input, 2*want.Output
	}
	assert.Equal(t, want, second.outcome.Tokens, "tokens are those of the turn")
}

func unknownSession(t *testing.T, r rig) {
	s := r.turn(t, "text", "--resume", "2c32fcb3-4af6-49ec-a94a-091baba8ec9a", "go on")
	failed(t, r, s, "session_unknown", exitFailed)
	assert.Empty(t, s.asked)
}

func failure(t *testing.T, r rig, behavior, kind string, exit int) {
	s := r.turn(t, behavior, "say hello")
	failed(t, r, s, kind, exit)
	assert.NotEmpty(t, s.asked)
}

// waitedOut checks a turn that times out while the agent retries: the reported kind is the cause,
// not the timeout.
func waitedOut(t *testing.T, r rig, behavior, kind string, exit int) {
	again := r.setup.Retries
	if len(again.Env)+len(again.Home) == 0 {
		t.Skip("it gives up, or does not report retries")
	}
	r.setup.Env, r.setup.Home = merged(r.setup.Env, again.Env), merged(r.setup.Home, again.Home)
	s := r.turn(t, behavior+"/after=1", "--timeout", "20s", "say hello")
	failed(t, r, s, kind, exit)
}

func merged(under, over map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, under)
	maps.Copy(all, over)
	return all
}

func failed(t *testing.T, r rig, s turn, kind string, exit int) {
	t.Helper()
	if d := r.differs(t); d.Kind != "" {
		kind, exit = d.Kind, d.Exit
	}
	assert.Equal(t, exit, s.exit)
	if assert.NotNil(t, s.outcome.Failure) {
		assert.Equal(t, kind, s.outcome.Failure.Kind)
		assert.NotEmpty(t, s.outcome.Failure.Message)
	}
}

func largePrompt(t *testing.T, r rig) {
	prompt := "begin " + strings.Repeat("0123456789abcde\n", 200*64) + "end"
	file := filepath.Join(t.TempDir(), "prompt")
	require.NoError(t, os.WriteFile(file, []byte(prompt), 0o600))
	s := r.turn(t, "text", "--prompt-file", file)
	worked(t, s)
	assert.True(t, told(s.asked, prompt), "the model gets all of it")
}

func interrupt(t *testing.T, r rig, args ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := r.command(ctx, t, "stall", append(args, "say hello")...)
	before := len(r.asked())
	var since time.Time
	s := r.finish(t, cmd, func() {
		require.Eventually(t, func() bool { return len(r.asked()) > before }, bound, 10*time.Millisecond, "the model is asked")
		since = time.Now()
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
	})
	assert.Equal(t, exitInterrupted, s.exit)
	if assert.NotNil(t, s.outcome.Failure) {
		assert.Equal(t, "interrupted", s.outcome.Failure.Kind)
	}
	assert.Less(t, time.Since(since), 30*time.Second)
}
