package mapping_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

func TestMain(m *testing.M) {
	m.Run()
	regexp2.StopTimeoutClock()
}

func program(t testing.TB, source string) *mapping.Program {
	t.Helper()
	g := &schema.Agent{}
	g.Output.Events = source
	g.Tools.Canonical = map[string]string{"Shell": "bash"}
	p, err := mapping.New(g)
	require.NoError(t, err)
	return p
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name, program, line string
		want                []event.Event
		err                 string
	}{
		{"one event", `{type: "text", text: .x}`, `{"x":"hi"}`, []event.Event{{Type: event.Text, Text: "hi"}}, ""},
		{"several", `.[] | {type: "text", text: .}`, `["a","b"]`, []event.Event{{Type: event.Text, Text: "a"}, {Type: event.Text, Text: "b"}}, ""},
		{"none: not known", `empty`, `{"x":1}`, []event.Event{{Type: event.Unknown, Raw: `{"x":1}`}}, ""},
		{"a part that is not known", `{type: "text", text: .x}, {type: "unknown"}`, `{"x":"hi"}`, []event.Event{{Type: event.Text, Text: "hi"}, {Type: event.Unknown, Raw: `{"x":"hi"}`}}, ""},
		{"ignored: known", `{type: "ignored"}`, `{"x":1}`, []event.Event{}, ""},
		{"no JSON", `{type: "ignored"}`, `Loading…`, []event.Event{{Type: event.Unknown, Raw: "Loading…"}}, ""},
		{"content that is an object", `{type: "tool_result", content: .x}`, `{"x":{"a":[1]}}`, []event.Event{{Type: event.ToolResult, Content: `{"a":[1]}`}}, ""},
		{"large numbers", `{type: "usage", input: .n}`, `{"n":12345678901}`, []event.Event{{Type: event.Usage, Tokens: &event.Tokens{Input: 12345678901}}}, ""},
		{"not an object", `.x`, `{"x":"hi"}`, []event.Event{{Type: event.Unknown, Raw: `{"x":"hi"}`}}, "it yields hi; expected an object with a type"},
		{"a type that there is not", `{type: "txt"}`, `{}`, []event.Event{{Type: event.Unknown, Raw: `{}`}}, `it yields the type "txt"`},
		{"a misspelt key", `{type: "text", txt: .x}`, `{"x":"hi"}`, []event.Event{{Type: event.Unknown, Raw: `{"x":"hi"}`}}, `it yields an event with the unknown key "txt" (did you mean "text"?)`},
		{"an error of the program", `.x.y`, `{"x":[]}`, []event.Event{{Type: event.Unknown, Raw: `{"x":[]}`}}, "expected an object but got: array"},
		{"half a result is none", `{type: "text", text: "a"}, error("no")`, `{}`, []event.Event{{Type: event.Unknown, Raw: `{}`}}, "no"},
		{"it may stop", `{type: "text", text: "a"}, halt`, `{}`, []event.Event{{Type: event.Text, Text: "a"}}, ""},
		{"too many", `range(20000) | {type: "ignored"}`, `{}`, []event.Event{{Type: event.Unknown, Raw: `{}`}}, "it yields more than 10000 events"},
		{"no environment", `{type: "text", text: (env.PATH // "none")}`, `{}`, []event.Event{{Type: event.Text, Text: "none"}}, ""},
		{"a limit in milliseconds", `{type: "rate_limited", resets_at: .at}`, `{"at":1767323045000}`, []event.Event{{Type: event.RateLimited, ResetsAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}, ""},
		{"and one that says nothing", `{type: "rate_limited", resets_at: .at}`, `{"at":"soon"}`, []event.Event{{Type: event.RateLimited}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := program(t, c.program).Line([]byte(c.line), nil)
			assert.Equal(t, c.want, got)
			if c.err == "" {
				assert.NoError(t, err)
				return
			}
			var line *mapping.LineError
			require.ErrorAs(t, err, &line)
			assert.Contains(t, err.Error(), c.err)
			assert.Contains(t, err.Error(), "the line begins")
		})
	}
}

// An event can be encoded for any value that a program yields.
func TestAmountsAndTimesThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct{ program, line, want string }{
		"an infinite cost":        {`{type: "finished", cost_usd: infinite}`, `{}`, `{"type":"finished"}`},
		"no number":               {`{type: "usage", input: nan, cost_usd: nan}`, `{}`, `{"type":"usage","input":0,"output":0}`},
		"less than nothing":       {`{type: "usage", input: -7, cost_usd: -5}`, `{}`, `{"type":"usage","input":0,"output":0}`},
		"the year 10000 in UTC":   {`{type: "rate_limited", resets_at: .}`, `"9999-12-31T23:59:59-23:00"`, `{"type":"rate_limited"}`},
		"the year -1 in UTC":      {`{type: "rate_limited", resets_at: .}`, `"0000-01-01T00:00:00+23:00"`, `{"type":"rate_limited"}`},
		"more seconds than int64": {`{type: "rate_limited", resets_at: .}`, `20000000000`, `{"type":"rate_limited","resets_at":"2603-10-11T11:33:20Z"}`},
		"parts of a second":       {`{type: "rate_limited", resets_at: .}`, `1767323045.5`, `{"type":"rate_limited","resets_at":"2026-01-02T03:04:05.5Z"}`},
		"too far away":            {`{type: "rate_limited", resets_at: .}`, `100000000000001`, `{"type":"rate_limited"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := program(t, c.program).Line([]byte(c.line), nil)
			require.NoError(t, err)
			require.Len(t, got, 1)
			b, err := json.Marshal(got[0])
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(b))
		})
	}
}

func TestAComplaintIsNotCutInACharacter(t *testing.T) {
	_, err := program(t, `.`).Line([]byte(`"a`+strings.Repeat("ä", 40)+`"`), nil)
	assert.ErrorContains(t, err, "it yields a"+strings.Repeat("ä", 19)+"…; expected an object")
}

func TestProgramsThatReadMore(t *testing.T) {
	for _, source := range []string{"input", "inputs", "{", "nosuch"} {
		g := &schema.Agent{}
		g.Output.Events = source
		_, err := mapping.New(g)
		assert.ErrorContains(t, err, "agent.output.events: bad jq program: ", source)
	}
}

func TestAProgramThatNeverEnds(t *testing.T) {
	p := program(t, `def f: f; f`)
	mapping.SetLimit(p, 20*time.Millisecond)
	got, err := p.Line([]byte(`{}`), nil)
	require.ErrorContains(t, err, "it took longer than 20ms")
	assert.Equal(t, []event.Event{{Type: event.Unknown, Raw: `{}`}}, got)
	got, err = p.Line([]byte(`Loading`), nil)
	require.NoError(t, err, "the next line is mapped as if nothing had happened")
	assert.Len(t, got, 1)
}

// Typical lines of agents, 300 bytes each.
func BenchmarkLine(b *testing.B) {
	p := program(b, `
		if .type == "system" then (if .subtype == "init" then {type: "session", id: .session_id} else {type: "ignored"} end)
		elif .type == "assistant" then .message.content[] |
		  if .type == "text" then {type: "text", text}
		  elif .type == "tool_use" then {type: "tool_use", id, name, input}
		  else empty end
		else empty end`)
	line := fmt.Appendf(nil, `{"type":"assistant","message":{"id":"msg_01","role":"assistant","content":[{"type":"text","text":%q}]},"session_id":"7f0d5a52-0000-4000-8000-000000000000"}`, strings.Repeat("words ", 25))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var out []event.Event
	for b.Loop() {
		out, _ = p.Line(line, out[:0])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// A panic of the interpreter costs one line its form.
func TestAPanicOfTheInterpreter(t *testing.T) {
	broken := new(mapping.Program)
	events, err := broken.Line([]byte(`{"a":1}`), nil)
	assert.Equal(t, []event.Event{{Type: event.Unknown, Raw: `{"a":1}`}}, events)
	var caught *fault.Fault
	require.ErrorAs(t, err, &caught)
	assert.Equal(t, `{"a":1}`, string(caught.Bytes))
	assert.Contains(t, caught.Stack, "runtime/internal/mapping")
}
