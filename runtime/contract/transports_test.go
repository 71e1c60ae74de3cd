package contract

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

// actor is a scripted agent in memory for each transport.
type actor struct {
	over  map[string]func(TurnRequest, *TurnResult) error
	taken []TurnRequest
}

func (*actor) Command(*schema.Adapter, schema.AgentTurn) ([]string, string, error) {
	return nil, "", errors.New("no test asks for it")
}

func (*actor) Replay(*schema.Adapter, io.Reader, io.Reader, int) ([]event.Event, *event.Failure, error) {
	return nil, nil, errors.New("no test asks for it")
}

func (r *actor) RunTurn(_ context.Context, a *schema.Adapter, t TurnRequest) (TurnResult, error) {
	r.taken = append(r.taken, t)
	way := schema.TransportStdio
	if a.Agent.Transport == schema.TransportACP || a.Agent.Transport == schema.TransportScreen {
		way = a.Agent.Transport
	}
	out := TurnResult{Text: answer}
	if err := r.plays(t, way, &out); err != nil {
		return out, err
	}
	if change := r.over[way]; change != nil {
		return out, change(t, &out)
	}
	return out, nil
}

// plays does what the model of the turn requests.
func (*actor) plays(t TurnRequest, way string, out *TurnResult) error {
	base := t.Env[slices.IndexFunc(t.Env, func(kv string) bool { return strings.HasPrefix(kv, "BASE=") })]
	base = strings.TrimPrefix(base, "BASE=")
	switch {
	case strings.Contains(base, "/503"):
		out.Text, out.Failure, out.ExitCode = "", &event.Failure{Kind: event.ModelError, Message: way}, 1
	case way != schema.TransportScreen && !strings.Contains(base, "/text/"):
		failed := strings.Contains(base, "failtool")
		printed := "standin-tool-ran"
		if failed {
			printed = "standin-tool-failed"
		}
		t.Emit(event.Event{Type: event.ToolUse, ID: "1", Tool: event.ToolCommand, Input: []byte(`{"command":"echo hi"}`)})
		t.Emit(event.Event{Type: event.ToolResult, ID: "1", Content: printed + "\n", IsError: failed})
	}
	return nil
}

// anAgent returns an adapter with three transports, with these lines of its test.
func anAgent(t *testing.T, ways string) *schema.Adapter {
	t.Helper()
	a, diags := schema.Parse("agent.yaml", []byte(`schema: 1
name: agent
version: 1.0.0
description: An agent with three transports
family: agent
process: {executable: sh, version: {args: [-c, "echo 1.2.3"], pattern: '(\d\S+)'}}
agent:
  prompt: {deliver: stdin}
  output: {format: text}
  acp: {args: [acp]}
  screen: {states: [{state: ready, rows: [-1, -1], pattern: '>'}], prompt: {submit: ["\r"]}, leave: ["\x03"], text: {below: '^>'}}
tests:
  - name: ways
    ways:
      env: {BASE: "{base}", PLACE: "{home}/x", NUMBER: "{turn}"}
      home: {a/b.json: '{"base": "{base}"}'}
`+ways), schema.Options{})
	require.Empty(t, diags)
	return a
}

func TestTransports(t *testing.T) {
	text := func(s string) func(TurnRequest, *TurnResult) error {
		return func(trial TurnRequest, out *TurnResult) error {
			if out.Failure == nil {
				out.Text = s
			}
			return nil
		}
	}
	for _, c := range []struct {
		name, ways string
		over       map[string]func(TurnRequest, *TurnResult) error
		turn       string // only this one
		status     Status
		said       string // in the failure or a note
	}{
		{name: "they agree", status: Passed},
		{name: "lines that are wrapped are the same text", over: map[string]func(TurnRequest, *TurnResult) error{"screen": text(strings.ReplaceAll(answer, " ", "\n"))}, status: Passed},
		{name: "a text that differs", over: map[string]func(TurnRequest, *TurnResult) error{"screen": text("Hm.")}, status: Failed, said: `screen: text differs: over stdio "STANDIN-OK: .*", here "Hm\."`, turn: "an answer"},
		{
			name: "one that is known", ways: "      differs: [{way: screen, in: [text], because: it hums}]\n",
			over: map[string]func(TurnRequest, *TurnResult) error{"screen": text("Hm.")}, status: Passed, said: "screen: text differs: it hums", turn: "an answer",
		},
		{
			name: "one that is known of another turn", ways: "      differs: [{turn: tool, way: screen, in: [text], because: it hums}]\n",
			over: map[string]func(TurnRequest, *TurnResult) error{"screen": text("Hm.")}, status: Failed, said: "screen: text differs", turn: "an answer",
		},
		{
			name: "one that is not there", ways: "      differs: [{turn: answer, way: acp, in: [text], because: it hums, version: 1.2.3}]\n",
			status: Failed, said: "acp: text is declared to differ, but does not", turn: "an answer",
		},
		{
			name: "one that no longer exists", ways: "      differs: [{turn: answer, way: acp, in: [text], because: it hums, version: 1.2.2}]\n",
			status: Passed, said: "acp: text is declared to differ, but does not with version 1.2.3; it did with 1.2.2", turn: "an answer",
		},
		{
			name: "an end that differs", over: map[string]func(TurnRequest, *TurnResult) error{"acp": func(_ TurnRequest, out *TurnResult) error {
				out.Failure, out.ExitCode = nil, 0
				return nil
			}}, status: Failed, said: `acp: end differs: over stdio model_error, here done\nacp: exit_code differs: over stdio 1, here 0`, turn: "a server error",
		},
		{
			name: "tools that differ", over: map[string]func(TurnRequest, *TurnResult) error{"acp": func(trial TurnRequest, _ *TurnResult) error {
				trial.Emit(event.Event{Type: event.ToolUse, ID: "2", Name: "Extra"})
				return nil
			}}, status: Failed, said: `acp: tools differs: over stdio \["bash echo hi → standin-tool-ran"\], here \["bash echo hi → standin-tool-ran" "Extra"\]`, turn: "a tool and",
		},
		{
			name: "a first transport that does not do as the model says", over: map[string]func(TurnRequest, *TurnResult) error{"stdio": text("Hm."), "acp": text("Hm."), "screen": text("Hm.")},
			status: Failed, said: `stdio: the answer is "Hm\.", and the model said`, turn: "an answer",
		},
		{
			name: "a turn that does not begin", over: map[string]func(TurnRequest, *TurnResult) error{"acp": func(TurnRequest, *TurnResult) error { return errors.New("no paper") }},
			status: Failed, said: "over acp: no paper", turn: "an answer",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Run(t.Context(), anAgent(t, c.ways), Options{Agent: &actor{over: c.over}, Filter: regexp.MustCompile(c.turn)})
			require.NotEmpty(t, r.Tests, r.Skipped)
			for _, result := range r.Tests {
				said := strings.Join(result.Notes, "\n")
				if result.Failure != nil {
					said = result.Failure.Message
				}
				assert.Equal(t, c.status, result.Status, "%s: %s", result.Name, said)
				assert.Regexp(t, c.said, said)
				assert.Len(t, result.Transports, 3-strings.Count(c.said, "over acp: ")*2)
			}
		})
	}
}

// A known difference of every screen need not be declared.
func TestScreensReportNoTools(t *testing.T) {
	r := Run(t.Context(), anAgent(t, ""), Options{Agent: &actor{}, Filter: regexp.MustCompile("a tool and")})
	require.Len(t, r.Tests, 1)
	assert.Equal(t, Passed, r.Tests[0].Status)
	assert.Equal(t, []string{"screen: tools differs: " + onScreens}, r.Tests[0].Notes)
	assert.Equal(t, []Difference{{Field: "tools", Want: `["bash echo hi → standin-tool-ran"]`, Got: "[]", Reason: onScreens}}, r.Tests[0].Transports[2].Differences)
}

// A transport whose program is not installed is reported as missing, and the others are used.
func TestMissingTransport(t *testing.T) {
	a := anAgent(t, "")
	a.Agent.ACP.Executable = "no-such-program-here"
	r := Run(t.Context(), a, Options{Agent: &actor{}, Filter: regexp.MustCompile("an answer")})
	require.Len(t, r.Tests, 1)
	assert.Equal(t, Passed, r.Tests[0].Status)
	assert.Regexp(t, "^acp was not tested: .*no-such-program-here", r.Tests[0].Notes[0])
	assert.NotEmpty(t, r.Tests[0].Transports[1].Missing)

	a.Process.Executable, a.Process.VersionProbe = "no-such-program-either", nil
	r = Run(t.Context(), a, Options{Agent: &actor{}, Filter: regexp.MustCompile("an answer")})
	require.Len(t, r.Tests, 1)
	assert.Equal(t, NotApplicable, r.Tests[0].Status, "skipped is not passed")
}

// Each turn has a home with the declared files, and a model server.
func TestEnvironmentOfTransports(t *testing.T) {
	r := &actor{over: map[string]func(TurnRequest, *TurnResult) error{}}
	r.over["stdio"] = func(trial TurnRequest, out *TurnResult) error {
		env := map[string]string{}
		for _, kv := range trial.Env {
			key, value, _ := strings.Cut(kv, "=")
			env[key] = value
		}
		assert.Equal(t, filepath.Join(env["HOME"], "x"), env["PLACE"])
		assert.Equal(t, "1", env["NUMBER"])
		assert.DirExists(t, trial.Dir)
		file, err := os.ReadFile(filepath.Join(env["HOME"], "a/b.json"))
		assert.NoError(t, err)
		assert.Equal(t, `{"base": "`+env["BASE"]+`"}`, string(file))
		reply, err := http.Post(env["BASE"]+"/v1/chat/completions", "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}],"tools":[{"function":{"name":"bash"}}]}`))
		if err != nil {
			return err
		}
		defer reply.Body.Close() // only read from
		said, err := io.ReadAll(reply.Body)
		assert.Contains(t, string(said), answer)
		return err
	}
	report := Run(t.Context(), anAgent(t, ""), Options{Agent: r, Filter: regexp.MustCompile("an answer")})
	require.Len(t, report.Tests, 1)
	assert.Equal(t, Passed, report.Tests[0].Status, report.Tests[0].Failure)
	require.Len(t, r.taken, 3)
	assert.NotEqual(t, r.taken[0].Dir, r.taken[1].Dir, "each transport has directories of its own")
	for _, trial := range r.taken {
		assert.NoDirExists(t, trial.Dir, "nothing is left behind")
	}
}

func TestOffers(t *testing.T) {
	list, version := offers([]byte(strings.Join([]string{
		"starting up",
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"x","version":"0.9"},"agentCapabilities":{"loadSession":true,` +
			`"promptCapabilities":{"image":true,"audio":false},"mcpCapabilities":{"http":true,"sse":null},"sessionCapabilities":{"resume":{},"_own":{}}}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","modes":{"currentModeId":"a"},"models":null}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{}}`,
		`{"result":[]}`, `{"method":7}`, "",
	}, "\n")))
	assert.Equal(t, []string{"asks", "image", "load", "mcp-http", "modes", "plan", "session-resume"}, list)
	assert.Equal(t, "0.9", version)
}
