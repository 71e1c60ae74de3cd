package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

const adapterText = `
schema: 1
name: scripted
version: 1.0.0
description: A shell script
family: agent
process: {executable: sh}
agent:
  transport: pipe
  args: [SCRIPT]
  prompt: {deliver: argument, overflow: stdin}
  options:
    resume: [--resume, "{session_id}"]
    model: [--model, "{model}"]
  linger_ms: 200
  exit_codes: {"7": auth}
  failures: [{pattern: '(?i)rate limit', kind: rate_limited}, {pattern: no such session, kind: session_unknown}]
  denial_pattern: '(?i)i was not allowed'
  output:
    format: ndjson
    finish: required
    events: |
      if .t == "say" then {type: "text", text: .x}
      elif .t == "piece" then {type: "text", text: .x, delta: true}
      elif .t == "tool" then {type: "tool_use", id: (if has("id") then .id else "u-\(.name)" end), name: .name, input: .input}
      elif .t == "result" then {type: "tool_result", id: "1", content: .x, is_error: .failed}
      elif .t == "use" then {type: "usage", input: .n, output: 1, scope: .scope}
      elif .t == "deny" then {type: "permission_denied", id: .id, name: (.name // "Shell")}
      elif .t == "limit" then {type: "rate_limited", message: "slow down", resets_at: .at}
      elif .t == "oops" then {type: "error", message: .x, fatal: .fatal, kind: .kind}
      elif .t == "session" then {type: "session", id: .id}
      elif .t == "end" then {type: "finished", is_error: .failed, result: .x}
      elif .t == "ping" then {type: "ignored"}
      else empty end
  tools: {canonical: {Shell: bash}}
tests: [{name: t, turn: {prompt: x}, expect_argv: [sh, SCRIPT, x]}]
`

func kind(o agent.Outcome) event.Kind {
	if o.Failure == nil {
		return ""
	}
	return o.Failure.Kind
}

func scriptedAdapter(t *testing.T) *schema.Adapter {
	t.Helper()
	a, ds := schema.Parse("scripted", []byte(adapterText), schema.Options{})
	require.Empty(t, ds)
	return a
}

// recorded replays lines of the scripted agent's output.
func recorded(t *testing.T, rec agent.Recording, lines ...string) (agent.Outcome, []event.Event) {
	t.Helper()
	a := scriptedAdapter(t)
	var events []event.Event
	rec.Output = strings.NewReader(strings.Join(lines, "\n"))
	out, err := agent.Replay(a, rec, func(e event.Event) { events = append(events, e) })
	require.NoError(t, err)
	return out, events
}

// The result of a turn depends on certain criteria, and not on other text.
func TestJudgment(t *testing.T) {
	const done = `{"t":"end"}`
	for _, c := range []struct {
		name   string
		lines  []string
		code   int
		stderr string
		want   event.Kind
		says   string
	}{
		{"a result", []string{done}, 0, "", "", ""},
		{"a result wins over the exit code", []string{done}, 1, "", "", ""},
		{"a result that is an error, with exit code 0", []string{`{"t":"end","failed":true,"x":"boom"}`}, 0, "", event.ModelError, "boom"},
		{"its message gives the kind", []string{`{"t":"end","failed":true,"x":"Rate limit reached"}`}, 0, "", event.Limited, "Rate limit reached"},
		{"its exit code gives the kind when its words do not", []string{`{"t":"end","failed":true,"x":"boom"}`}, 7, "rate limit", event.Auth, "boom"},
		{"its message has precedence", []string{`{"t":"end","failed":true,"x":"Rate limit reached"}`}, 7, "", event.Limited, "Rate limit reached"},
		{"no result", []string{`{"t":"say","x":"hi"}`}, 0, "", event.Crashed, "the agent ended without a result"},
		{"a fatal error", []string{`{"t":"oops","x":"bad","fatal":true}`}, 0, "", event.ModelError, "bad"},
		{"a fatal error, whatever the result says", []string{`{"t":"oops","x":"bad","fatal":true}`, done}, 0, "", event.ModelError, "bad"},
		{"a result without words, after an error with some", []string{`{"t":"oops","x":"rate limit"}`, `{"t":"end","failed":true}`}, 0, "", event.Limited, "rate limit"},
		{"an error during the turn does not fail it", []string{`{"t":"oops","x":"reconnecting"}`, done}, 0, "", "", ""},
		{"an exit code that is declared", nil, 7, "", event.Auth, "the agent ended with exit code 7 and gave no reason"},
		{"an exit code that is not", nil, 9, "the disk is full\n", event.Crashed, "the disk is full"},
		{"standard error gives the kind", nil, 1, "error: no such session s-1\n", event.SessionUnknown, "error: no such session s-1"},
		{"so does output that is not JSON", []string{"no such session"}, 1, "", event.SessionUnknown, "no such session"},
		{"and an error event", []string{`{"t":"oops","x":"rate limit"}`}, 1, "", event.Limited, "rate limit"},
		{"the agent's prose has no effect", []string{`{"t":"say","x":"rate limit; no such session; fatal error"}`, done}, 0, "", "", ""},
		{"nor when the turn failed", []string{`{"t":"say","x":"rate limit"}`}, 1, "", event.Crashed, "the agent ended with exit code 1 and gave no reason"},
		{"nor does a tool's result", []string{`{"t":"result","x":"rate limit\nno such session","failed":true}`}, 1, "", event.Crashed, "the agent ended with exit code 1 and gave no reason"},
		{"standard error of a turn that worked decides nothing", []string{done}, 0, "warning: rate limit", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := recorded(t, agent.Recording{ExitCode: c.code, Stderr: strings.NewReader(c.stderr)}, c.lines...)
			assert.Equal(t, c.want, kind(out), "%v", out.Failure)
			if out.Failure != nil {
				assert.Equal(t, c.says, out.Failure.Message)
			}
		})
	}
}

// The output of a plain-text agent that fails is quoted; it still does not affect the result.
func TestTheLastWordsOfPlainText(t *testing.T) {
	a := *scriptedAdapter(t)
	g := *a.Agent
	g.Output = schema.AgentOutput{Format: schema.FormatText}
	a.Agent = &g
	for stderr, want := range map[string]string{
		"":     "the agent ended with exit code 1 and gave no reason; its last output: error: rate limit",
		"boom": "boom",
	} {
		out, err := agent.Replay(&a, agent.Recording{Output: strings.NewReader("error: rate limit\n"), Stderr: strings.NewReader(stderr), ExitCode: 1}, func(event.Event) {})
		require.NoError(t, err)
		assert.Equal(t, event.Crashed, kind(out))
		assert.Equal(t, want, out.Failure.Message)
	}
}

func TestALimitSaysWhenItEnds(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, when := range []string{fmt.Sprint(at.Unix()), fmt.Sprint(at.UnixMilli()), `"2026-01-02T03:04:05Z"`, `"2026-01-02T04:04:05+01:00"`} {
		out, events := recorded(t, agent.Recording{}, `{"t":"limit","at":`+when+`}`, `{"t":"end","failed":true,"x":"rate limit"}`)
		assert.Equal(t, event.Limited, kind(out))
		assert.Equal(t, at, out.Failure.ResetsAt)
		assert.Equal(t, at, events[0].ResetsAt)
	}
	out, events := recorded(t, agent.Recording{}, `{"t":"limit","at":1767323045}`, `{"t":"limit"}`, `{"t":"end","failed":true,"x":"rate limit"}`)
	assert.Equal(t, at, out.Failure.ResetsAt, "told again without the time")
	assert.Equal(t, at, events[1].ResetsAt)

	out, _ = recorded(t, agent.Recording{}, `{"t":"limit","at":1}`, `{"t":"end"}`)
	assert.Nil(t, out.Failure, "it waited and went on")
}

func TestPiecesAreJoined(t *testing.T) {
	texts := func(lines ...string) (list []string) {
		_, events := recorded(t, agent.Recording{}, lines...)
		for _, e := range events {
			if e.Type == event.Text {
				list = append(list, e.Text)
			}
		}
		return list
	}
	piece := func(s string) string { return `{"t":"piece","x":"` + s + `"}` }
	whole := func(s string) string { return `{"t":"say","x":"` + s + `"}` }
	tool := `{"t":"tool","name":"Shell"}`
	assert.Equal(t, []string{"one two"}, texts(piece("one "), piece("two")))
	assert.Equal(t, []string{"one", "two"}, texts(piece("one"), tool, piece("two")))
	assert.Equal(t, []string{"one two"}, texts(piece("one "), piece("two"), whole("one two")), "the whole block repeats its pieces")
	assert.Equal(t, []string{"one", "two"}, texts(piece("one"), whole("two")))
	assert.Equal(t, []string{"one", "one"}, texts(whole("one"), whole("one")), "said twice")
	assert.Equal(t, []string{"one two"}, texts(piece("one "), `{"t":"ping"}`, piece("two")), "what means nothing ends no block")
	assert.Empty(t, texts(piece(" \\n")))
}

// The final message is emitted as text if no text has it; white space and the way in which the
// agent joined its texts do not count.
func TestAResultIsTextThatNobodyHasSeen(t *testing.T) {
	say := func(s string) string { return `{"t":"say","x":"` + s + `"}` }
	piece := func(s string) string { return `{"t":"piece","x":"` + s + `"}` }
	end := func(s string) string { return `{"t":"end","x":"` + s + `"}` }
	long := strings.Repeat("0123456789 ", 120_000)
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
		final string
	}{
		{"no other text", []string{end(`Unknown command: /aaa`)}, []string{"Unknown command: /aaa"}, "Unknown command: /aaa"},
		{"after a tool", []string{`{"t":"tool","name":"Shell"}`, end("done")}, []string{"done"}, "done"},
		{"the last text", []string{say("one"), say("two"), end("two")}, []string{"one", "two"}, "two"},
		{"pieces", []string{piece("one "), piece("two"), end("one two")}, []string{"one two"}, "one two"},
		{"pieces and the whole", []string{piece("one"), say("one"), end("one")}, []string{"one"}, "one"},
		{"all texts joined", []string{say("one"), say("two"), end("onetwo")}, []string{"one", "two"}, "two"},
		{"the last texts joined", []string{say("zero"), say("one\\n"), say("two"), end("one\\n\\ntwo\\n")}, []string{"zero", "one\n", "two"}, "two"},
		{"an earlier text", []string{say("the answer"), say("saved"), end("the answer")}, []string{"the answer", "saved"}, "saved"},
		{"a part of a text", []string{say("I look at it."), end("it.")}, []string{"I look at it.", "it."}, "it."},
		{"another text", []string{say("I look."), end("4")}, []string{"I look.", "4"}, "4"},
		{"nothing", []string{say("one"), end(" \\n")}, []string{"one"}, "one"},
		{"two results", []string{end("one"), end("one"), end("two")}, []string{"one", "two"}, "two"},
		{"an error", []string{`{"t":"end","failed":true,"x":"boom"}`}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, events := recorded(t, agent.Recording{}, c.lines...)
			var texts []string
			for _, e := range events {
				if e.Type == event.Text {
					texts = append(texts, e.Text)
				}
			}
			assert.Equal(t, c.want, texts)
			assert.Equal(t, c.final, out.Text)
			assert.Equal(t, event.Finished, events[len(events)-1].Type, "it is the last event")
		})
	}
	_, events := recorded(t, agent.Recording{}, say(long), end(long))
	text := ""
	for _, e := range events {
		text += e.Text
	}
	assert.Equal(t, 1, strings.Count(text, "bytes left out"), "lines of more than a megabyte are shortened, and the text is emitted once")
}

func TestToolsHaveCommonNames(t *testing.T) {
	_, events := recorded(t, agent.Recording{}, `{"t":"tool","name":"Shell","input":{"command":"ls <x>"}}`, `{"t":"tool","name":"Teleport"}`)
	assert.Equal(t, []event.Event{
		{Type: event.ToolUse, ID: "u-Shell", Tool: "bash", Name: "Shell", Input: json.RawMessage(`{"command":"ls \u003cx\u003e"}`)},
		{Type: event.ToolUse, ID: "u-Teleport", Tool: event.ToolOther, Name: "Teleport"},
	}, events)
}

func TestAToolUseReportedTwiceCountsOnce(t *testing.T) {
	use := `{"t":"tool","name":"Shell","id":"a"}`
	_, events := recorded(t, agent.Recording{}, use, use, `{"t":"tool","name":"Shell","id":"b"}`, `{"t":"tool","name":"Shell","id":""}`, `{"t":"tool","name":"Shell","id":""}`)
	assert.Len(t, events, 4, "a, b and two without an id")
}

func TestUsageIsTheTurns(t *testing.T) {
	use := func(n int, scope string) string { return fmt.Sprintf(`{"t":"use","n":%d,"scope":%q}`, n, scope) }
	for _, c := range []struct {
		name     string
		before   event.Tokens
		lines    []string
		turn     event.Tokens
		sessions event.Tokens
	}{
		{"the turn so far", event.Tokens{}, []string{use(5, ""), use(8, "turn")}, event.Tokens{Input: 8, Output: 1}, event.Tokens{}},
		{"steps add up", event.Tokens{}, []string{use(5, "step"), use(8, "step")}, event.Tokens{Input: 13, Output: 2}, event.Tokens{}},
		{"the session's is the turn's without what was before", event.Tokens{Input: 100}, []string{use(130, "session")}, event.Tokens{Input: 30, Output: 1}, event.Tokens{Input: 130, Output: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, events := recorded(t, agent.Recording{PriorTokens: c.before}, append(c.lines, `{"t":"end"}`)...)
			assert.Equal(t, c.turn, out.Tokens)
			assert.Equal(t, c.sessions, out.SessionTokens)
			last := events[len(events)-1]
			assert.Equal(t, event.Usage, last.Type, "told once")
			assert.Equal(t, c.turn, *last.Tokens)
		})
	}
}

func TestRefusals(t *testing.T) {
	out, _ := recorded(t, agent.Recording{}, `{"t":"deny","id":"a"}`, `{"t":"deny","id":"a"}`, `{"t":"deny","id":"b"}`, `{"t":"end"}`)
	assert.Nil(t, out.Failure)
	assert.False(t, out.OK())
	assert.Len(t, out.Denials, 2, "told twice with one id it counts once")

	out, _ = recorded(t, agent.Recording{}, `{"t":"tool","name":"Shell","id":"a"}`, `{"t":"deny","id":"a","name":""}`, `{"t":"end"}`)
	assert.Equal(t, event.Tool("bash"), out.Denials[0].Tool, "the tool of a use with this id")

	out, _ = recorded(t, agent.Recording{}, `{"t":"say","x":"I was not allowed to do it."}`, `{"t":"end"}`)
	assert.Len(t, out.Denials, 1, "denial_pattern on the final message")
	out, _ = recorded(t, agent.Recording{}, `{"t":"say","x":"I was not allowed at first."}`, `{"t":"result","x":"i was not allowed"}`, `{"t":"say","x":"done"}`, `{"t":"end"}`)
	assert.Empty(t, out.Denials, "and on nothing else")
}

func TestLinesThatAreNotKnownAreKept(t *testing.T) {
	out, events := recorded(t, agent.Recording{}, "Warning: no colors", `{"t":"brand new","x":1}`, `{"broken`, "", "  ", "[1,2]", `{"t":"ping"}`, `{"t":"end"}`)
	assert.Equal(t, []event.Event{
		{Type: event.Unknown, Raw: "Warning: no colors"},
		{Type: event.Unknown, Raw: `{"t":"brand new","x":1}`},
		{Type: event.Unknown, Raw: `{"broken`},
		{Type: event.Unknown, Raw: "[1,2]"},
		{Type: event.Finished},
	}, events)
	assert.Equal(t, 4, out.UnknownLines)
	require.Len(t, out.Problems, 1, "[1,2] has no .t")
	assert.Contains(t, out.Problems[0], "expected an object but got: array")
}

// Reads may end anywhere, even within a character.
func TestHowReadsAreCutChangesNothing(t *testing.T) {
	a, _ := schema.Parse("scripted", []byte(adapterText), schema.Options{})
	text := "{\"t\":\"say\",\"x\":\"grüße 世界 🎉\"}\r\n{\"t\":\"piece\",\"x\":\"é\"}\n\n{\"t\":\"end\"}"
	var whole, bytewise []event.Event
	_, err := agent.Replay(a, agent.Recording{Output: strings.NewReader(text)}, func(e event.Event) { whole = append(whole, e) })
	require.NoError(t, err)
	_, err = agent.Replay(a, agent.Recording{Output: iotest.OneByteReader(strings.NewReader(text))}, func(e event.Event) { bytewise = append(bytewise, e) })
	require.NoError(t, err)
	assert.Equal(t, whole, bytewise)
	assert.Equal(t, "grüße 世界 🎉", whole[0].Text)
}

// An answer of 5 MB (under -short, 2 MB) that arrives in pieces and then as a whole is emitted once, in parts, and its
// end is in the final message.
func TestAVeryLongAnswer(t *testing.T) {
	var lines []string
	var all strings.Builder
	pieces := testkit.Fewer(t, 2<<10, 5<<10)
	for i := range pieces {
		piece := strings.Repeat(strconv.Itoa(i%10), 1023) + `\n`
		lines = append(lines, `{"t":"piece","x":"`+piece+`"}`)
		all.WriteString(piece)
	}
	whole := all.String()
	const block = `---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---`
	lines = append(lines, `{"t":"piece","x":"`+block+`"}`, `{"t":"say","x":"`+whole+block+`"}`, `{"t":"end"}`)
	out, events := recorded(t, agent.Recording{}, lines...)
	text := 0
	for _, e := range events {
		text += len(e.Text)
	}
	assert.Equal(t, pieces<<10+len(strings.ReplaceAll(block, `\n`, "\n")), text, "once")
	assert.True(t, strings.HasSuffix(out.Text, "---END_RALPH_STATUS---"))
	out, _ = recorded(t, agent.Recording{}, `{"t":"say","x":"`+whole+block+`"}`, `{"t":"end"}`)
	assert.True(t, strings.HasSuffix(out.Text, "---END_RALPH_STATUS---"), "also where there are no pieces")
}

// A line of 50 MB is still a single event, and memory use stays constant.
func TestVeryLongLines(t *testing.T) {
	a, _ := schema.Parse("scripted", []byte(adapterText), schema.Options{})
	size := testkit.Fewer(t, 12, testkit.Times(t, 20, 50)) << 20
	line := func() *repeated {
		return &repeated{head: `{"t":"result","failed":true,"x":"begin `, body: `0123456789\nü`, size: size, tail: ` end"}` + "\n" + `{"t":"end"}`}
	}
	before := heap()
	var events []event.Event
	peak := before
	out, err := agent.Replay(a, agent.Recording{Output: line()}, func(e event.Event) {
		events = append(events, e)
		peak = max(peak, heap())
	})
	require.NoError(t, err)
	assert.Nil(t, out.Failure)
	assert.Regexp(t, fmt.Sprintf(`^%c\d{7} bytes of one long line were left out of the output`, strconv.Itoa(size)[0]), out.Problems[0])
	require.Len(t, events, 2)
	assert.True(t, events[0].IsError)
	assert.Regexp(t, `^begin 0123456789\nü`, events[0].Content)
	assert.Regexp(t, `…\[\d+ bytes left out\]…[0-9\nü]`, events[0].Content)
	assert.True(t, strings.HasSuffix(events[0].Content, "ü end"), "the end of an answer has its result")
	assert.Less(t, peak-before, uint64(64<<20))
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// repeated is a long text that is never in memory as a whole.
type repeated struct {
	head, body, tail string
	size             int
	buf              string
	stage            int
}

func (r *repeated) Read(b []byte) (int, error) {
	for r.buf == "" {
		switch {
		case r.stage == 0:
			r.buf, r.stage = r.head, 1
		case r.stage == 1 && r.size > 0:
			r.buf = strings.Repeat(r.body, 1000)
			r.size -= len(r.buf)
		case r.stage == 1:
			r.buf, r.stage = r.tail, 2
		default:
			return 0, io.EOF
		}
	}
	n := copy(b, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}
