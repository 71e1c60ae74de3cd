//go:build unix

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

var update = flag.Bool("update", false, "write the golden files")

const talkingAdapter = `
schema: 1
name: talking
version: 1.0.0
description: plays a script
family: agent
process: {executable: PROGRAM}
agent:
  transport: acp
  acp:
    permission: {allow: ["read"], deny: ["bash(rm *)", "write(*/rm me)"], else: ELSE}
    auth: key
    start_ms: 60000
    events: 'if .method == "own/thing" then {type: "ignored"} elif .params.update._meta.spent then {type: "usage", scope: "step", input: .params.update._meta.spent} else empty end'
  failures: [{pattern: '(?i)quota', kind: rate_limited}]
  tools: {canonical: {Fetcher: read}}
  linger_ms: LINGER
tests: []
`

// talking returns an agent that plays a script; absent is the policy for questions that nobody
// answers.
func talking(t *testing.T, absent string) *schema.Adapter {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	linger := strconv.FormatInt(testkit.Patience(time.Second).Milliseconds(), 10) // time to notice an exit
	a, ds := schema.Parse("talking", []byte(strings.NewReplacer("PROGRAM", program, "ELSE", absent, "LINGER", linger).Replace(talkingAdapter)), schema.Options{})
	require.Empty(t, ds)
	return a
}

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return scriptVariable + "=" + path
}

// Agents' messages and their effects: each file of testdata/acp is a script, a line of dashes,
// and the events and the outcome.
func TestTalks(t *testing.T) {
	leavesNoProcess(t)
	files, err := filepath.Glob("testdata/acp/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range testkit.FewerOf(t, 16, files) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			text, want, _ := strings.Cut(string(data), "\n-----\n")
			turn := agent.Turn{Prompt: "go"}
			absent := "ask"
			for line := range strings.Lines(text) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				switch key {
				case "# session":
					turn.SessionID = value
				case "# model":
					turn.Model = value
				case "# mode":
					turn.PermissionMode = value
				case "# else":
					absent = value
				}
			}
			out, events := playBeside(t.Context(), t, talking(t, absent), turn, agent.Options{Env: []string{script(t, text)}})
			got := shown(t, out, events)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(text+"\n-----\n"+got), 0o644))
				return
			}
			assert.Equal(t, want, got)
		})
	}
}

// shown returns a turn as text.
func shown(t *testing.T, out agent.Outcome, events []event.Event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		if len(e.Text) > 1000 {
			e.Text = fmt.Sprintf("%.20s… (%d bytes)", e.Text, len(e.Text))
		}
		line, err := json.Marshal(e)
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	if f := out.Failure; f != nil {
		fmt.Fprintf(&b, "failure: %s\n", f)
	}
	for _, q := range out.Unanswered {
		fmt.Fprintf(&b, "asked: %s\n", q)
	}
	for _, p := range out.Problems {
		fmt.Fprintf(&b, "problem: %s\n", p)
	}
	fmt.Fprintf(&b, "ok: %t, session %s, unknown %d\n", out.OK(), out.SessionID, out.UnknownLines)
	return b.String()
}

const asks = `
begin
> {"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"t1","title":"make","kind":"execute","rawInput":{"command":"make"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}
<
got
stop end_turn
`

func TestAgentsQuestionReachesTheUser(t *testing.T) {
	var asked event.Question
	out, _ := playIn(t.Context(), t, talking(t, "deny"), agent.Turn{Prompt: "go"}, agent.Options{
		Env: []string{script(t, asks)},
		Ask: func(_ context.Context, q event.Question) (event.Answer, error) {
			asked = q
			return event.Answer{Option: "y", By: "somebody"}, nil
		},
	})
	assert.Nil(t, out.Failure)
	assert.Contains(t, out.Text, `"optionId":"y"`)
	assert.Equal(t, event.Question{
		ID: "q1", Kind: event.AskPermission, Tool: "bash", Name: "execute", Input: json.RawMessage(`{"command":"make"}`), Text: "make",
		Options: []event.Option{{ID: "y", Name: "Yes", Kind: event.AllowOnce}, {ID: "n", Name: "No", Kind: event.RejectOnce}},
	}, asked)
	assert.True(t, out.OK())
}

func TestAQuestionWithoutAnAnswer(t *testing.T) {
	out, events := playIn(t.Context(), t, talking(t, "allow"), agent.Turn{Prompt: "go"}, agent.Options{
		Env: []string{script(t, asks)},
		Ask: func(context.Context, event.Question) (event.Answer, error) {
			return event.Answer{}, errors.New("nobody is at home")
		},
	})
	assert.Nil(t, out.Failure)
	assert.Contains(t, out.Text, `"outcome":"cancelled"`)
	assert.Equal(t, []string{"may it use execute: make"}, out.Unanswered)
	assert.False(t, out.OK())
	assert.Contains(t, events, event.Event{Type: event.PermissionDenied, ID: "t1", Tool: "bash", Name: "execute", Detail: "nobody is at home"})
}

// A turn that is ended while a question is open withdraws the question, and the agent receives
// the protocol's answer for that.
func TestATurnEndsWithAQuestionOpen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	taken := make(chan struct{})
	out, _ := playIn(ctx, t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{
		Env: []string{script(t, strings.Replace(asks, "stop end_turn", "stop cancelled", 1))}, Grace: 20 * time.Second,
		Ask: func(ctx context.Context, _ event.Question) (event.Answer, error) {
			cancel()
			<-ctx.Done()
			close(taken)
			return event.Answer{}, ctx.Err()
		},
	})
	assert.Equal(t, event.Interrupted, kind(out))
	assert.Contains(t, out.Text, `"outcome":"cancelled"`)
	<-taken
}

// An agent that is asked to end its turn ends it, and keeps its session.
func TestCancel(t *testing.T) {
	for _, c := range []struct{ name, script, text string }{
		{"it ends", "begin\ntext working\n< session/cancel\ntext , cancelled\nstop cancelled", "working, cancelled"},
		{"it does not listen", "deaf\nbegin\nchild\ntext working\nstay", "working"},
		{"it is not yet at the turn", "deaf\n< initialize\ntext working\nstay", "working"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out, _ := playIn(ctx, t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{
				Env: []string{script(t, c.script)}, Output: writes(func(b []byte) {
					if strings.Contains(string(b), "working") {
						cancel()
					}
				}),
			})
			assert.Equal(t, event.Interrupted, kind(out))
			assert.Equal(t, c.text, out.Text)
		})
	}
}

type writes func([]byte)

func (w writes) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// An agent that hangs is ended by the first limit that expires.
func TestHangs(t *testing.T) {
	leavesNoProcess(t)
	for _, c := range []struct {
		name, script, message string
		options               agent.Options
	}{
		{"at the start", "stay", "the agent printed nothing for 1s", agent.Options{IdleTimeout: time.Second}},
		{"before its session", "< initialize\nstay", "the turn took longer than 1s", agent.Options{Timeout: time.Second}},
		{"in its turn", "begin\ndeaf\nstay", "the agent printed nothing for 1s", agent.Options{IdleTimeout: time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.options.Env = []string{script(t, c.script)}
			out, _ := playBeside(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go"}, c.options)
			assert.Equal(t, event.Timeout, kind(out))
			assert.Equal(t, c.message, out.Failure.Message)
		})
	}
	t.Run("longer than a start may take", func(t *testing.T) {
		t.Parallel()
		a := talking(t, "ask")
		a.Agent.ACP.StartMS = 500
		out, _ := playBeside(t.Context(), t, a, agent.Turn{Prompt: "go"}, agent.Options{Env: []string{script(t, "stay")}})
		assert.Equal(t, "the agent did not begin a session within 500ms: it has not answered initialize", out.Failure.Message)
	})
}

// A line of 10 MB is one event; the omitted part is reported.
func TestALineOfTenMegabytes(t *testing.T) {
	out, events := playIn(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{Env: []string{script(t, "begin\nbig 10000000\nstop end_turn")}})
	assert.Nil(t, out.Failure)
	assert.Len(t, out.Problems, 1)
	assert.Contains(t, out.Problems[0], "bytes of one long line were left out")
	require.Len(t, events, 3, "session, text, finished")
	assert.Contains(t, events[1].Text, "bytes left out")
}

// A prompt larger than any pipe reaches an agent that first sends messages itself.
func TestALongPrompt(t *testing.T) {
	out, _ := playIn(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: strings.Repeat("long ", 1<<20)}, agent.Options{Env: []string{script(t, "begin\ntext read it\nstop end_turn")}})
	assert.Nil(t, out.Failure)
	assert.Equal(t, "read it", out.Text)
}

func TestTheCommandLineOfATalk(t *testing.T) {
	a, ds := schema.Parse("a", []byte(`
schema: 1
name: a
version: 1.0.0
description: two ways
family: agent
process: {executable: a}
agent:
  args: [--json]
  prompt: {deliver: stdin}
  options:
    model: [--model, "{model}"]
    max_turns: [--turns, "{n}"]
    permission_mode: {default: yolo, args: [--mode, "{mode}"]}
    allowed_tools: [--tools, "{tools}"]
  acp: {args: [acp], options: [max_turns, permission_mode]}
  output: {format: text}
tests: []
`), schema.Options{})
	require.Empty(t, ds)
	turn := agent.Turn{Prompt: "go", Model: "m", MaxTurns: 3, Context: "first"}
	_, err := agent.NewCommand(a, turn)
	assert.ErrorContains(t, err, "no context")
	turn.Context = ""
	c, err := agent.NewCommand(a, turn)
	require.NoError(t, err)
	assert.Equal(t, []string{"--json", "--model", "m", "--mode", "yolo", "--turns", "3"}, c.Args)

	acp, err := a.WithTransport(schema.TransportACP)
	require.NoError(t, err)
	turn.Context = "first"
	c, err = agent.NewCommand(acp, turn)
	require.NoError(t, err)
	assert.Equal(t, []string{"--turns", "3", "acp"}, c.Args, "the model goes over the protocol, no mode is asked for")
	assert.Equal(t, "first\n\ngo", c.Message)
	turn.AllowedTools = []string{"x"}
	_, err = agent.NewCommand(acp, turn)
	assert.ErrorContains(t, err, "no allowed tools")

	_, err = a.WithTransport("telepathy")
	assert.EqualError(t, err, "a has no transport telepathy; it has stdio, acp")
	again, err := acp.WithTransport("")
	require.NoError(t, err)
	assert.Same(t, acp, again)
}

// The caller's MCP servers are passed to the agent with its session.
func TestServersAreHandedOn(t *testing.T) {
	server := json.RawMessage(`{"name":"files","command":"files","args":[],"env":[]}`)
	out, _ := playIn(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go", Servers: []json.RawMessage{server}}, agent.Options{Env: []string{script(t, `
< initialize
> {"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":1}}
< session/new
> {"jsonrpc":"2.0","id":{id},"result":{"sessionId":"s-1"}}
got
< session/prompt
stop end_turn`)}})
	assert.Nil(t, out.Failure)
	assert.Contains(t, out.Text, `"mcpServers":[`+string(server)+`]`)
}
