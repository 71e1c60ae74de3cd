package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

const twoTurns = `turns:
  - steps:
      - text: I begin.
      - write: {path: a.txt, content: "1\n"}
      - edit: {path: .ralph/@fix_plan.md, old: "- [ ] one", new: "- [x] one"}
      - status: {STATUS: IN_PROGRESS}
    usage: {input: 100, output: 10, cost_usd: 0.01}
  - steps:
      - run: echo it runs && exit 3
      - write: {path: b.txt, content: "2\n"}
      - edit: {path: .ralph/@fix_plan.md, old: "- [ ] two", new: "- [x] two"}
    usage: {input: 200, output: 20, cost_usd: 0.02}
`

var twoTasks = map[string]string{
	".ralph/@fix_plan.md": "- [ ] one\n- [ ] two\n",
	"ripple.yml":          "loop: {verify: [\"test -e b.txt && echo both are there\"]}\n",
}

// The editor shows the events of a loop: the plan, the turns, their tools, the checks, the cost,
// and the end. A loaded session shows the same again.
func TestAnEditorDrivesALoop(t *testing.T) {
	t.Parallel()
	// Each turn changes the plan after the editor has seen it as it was.
	const waits = "until test -e .ralph/seen-$RIPPLE_TURN; do sleep 0.01; done"
	play := strings.ReplaceAll(twoTurns, "  - steps:\n", "  - steps:\n      - run: "+waits+"\n")
	e := beginSession(t, play, twoTasks)
	asked := e.prompt("Do it.")
	for turn := 1; turn <= 2; turn++ {
		for len(e.of("plan")) < turn {
			e.take()
		}
		require.NoError(t, writeEmpty(filepath.Join(e.project, ".ralph", fmt.Sprint("seen-", turn))))
	}
	m := e.answer(asked)
	assert.Equal(t, "end_turn", e.stop(m))
	assert.Equal(t, map[string]any{"exitCode": 0., "next": "Review the result and keep it.", "reason": "plan_complete", "verified": true},
		field(t, m.Result, "_meta").(map[string]any)["ripple"])

	assert.Equal(t, "in_progress pending; completed in_progress; completed completed", states(e.of("plan")))
	calls, ends := map[string]acpUpdate{}, map[string]acpUpdate{}
	for _, u := range e.of("tool_call") {
		calls[u.ToolCallID] = u
	}
	for _, u := range e.of("tool_call_update") {
		ends[u.ToolCallID] = u
	}
	for id, want := range map[string]string{
		"1-turn-1":        "think Turn 1: one | completed Turn 1: made progress, status IN_PROGRESS",
		"1-turn-1-call-1": "execute Bash: " + waits + " | completed ",
		"1-turn-1-call-2": "edit Write: a.txt | completed 2 bytes written",
		"1-turn-2":        "think Turn 2: two | completed Turn 2: made progress",
		"1-turn-2-call-2": "execute Bash: echo it runs && exit 3 | failed it runs",
		"1-verify-1":      "execute Verify: test -e b.txt && echo both are there | completed `test -e b.txt && echo both are there`: ok: both are there",
	} {
		got := calls[id].Kind + " " + calls[id].Title + " | " + ends[id].Status + " " + strings.TrimSpace(ends[id].Title+ends[id].text())
		assert.Equal(t, want, firstLine(got))
	}
	assert.Len(t, ends, len(calls), "each call has an end")
	assert.Contains(t, e.said(), "I begin.")
	assert.NotContains(t, e.said(), "RALPH_STATUS")
	usage := e.of("usage_update")
	assert.Equal(t, 330, usage[len(usage)-1].Used)
	assert.InDelta(t, 0.03, usage[len(usage)-1].Cost.Amount, 1e-9)

	for _, id := range []string{e.session, run(t, e.project)} {
		other := openEditor(t, play, nil)
		other.call("initialize", map[string]any{"protocolVersion": 1})
		place := e.place()
		place["sessionId"] = id
		require.Nil(t, other.call("session/load", place).Error)
		assert.Len(t, other.of("tool_call"), len(calls))
		assert.Len(t, other.of("tool_call_update"), len(ends))
		assert.Contains(t, other.said(), "I begin.")
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func states(plans []acpUpdate) string {
	var list []string
	for _, p := range plans {
		var one []string
		for _, entry := range p.Entries {
			one = append(one, entry.Status)
		}
		list = append(list, strings.Join(one, " "))
	}
	return strings.Join(list, "; ")
}

func run(t *testing.T, project string) string {
	t.Helper()
	talk, err := journal.ReadTalk(project)
	require.NoError(t, err)
	return talk.Run
}

// A question without options is answered by a button, by the next prompt, or elsewhere; the agent
// receives the answer once.
func TestAnEditorAnswers(t *testing.T) {
	t.Parallel()
	const play = `turns:
  - steps:
      - status: {STATUS: BLOCKED, RECOMMENDATION: "Hello or hi?"}
  - steps:
      - write: {path: greet.sh, content: "echo hi\n"}
      - text: "{prompt}\nLOOP_COMPLETE"
`
	cases := map[string]struct {
		first, second, got string
		choose             func(e *editor) string
	}{
		"by a button":       {first: "end_turn", got: "    Decide for yourself, and continue.", choose: func(*editor) string { return "decide" }},
		"with the next":     {first: "refusal", second: "end_turn", got: "    hi, please", choose: func(*editor) string { return "next" }},
		"when it is closed": {first: "refusal", second: "end_turn", got: "    hi, please", choose: func(*editor) string { return "" }},
		"with nonsense":     {first: "refusal", second: "end_turn", got: "    hi, please", choose: func(*editor) string { return "no option" }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := beginSession(t, play, nil)
			e.choose = func(acpMessage) string { return c.choose(e) }
			assert.Equal(t, c.first, e.stop(e.answer(e.prompt("Greet."))))
			if c.second != "" {
				assert.Contains(t, e.said(), "q1 waits for your answer: Hello or hi?")
				assert.Equal(t, c.second, e.stop(e.answer(e.prompt("hi, please"))))
			}
			assert.Len(t, e.asked, 1)
			assert.Equal(t, "Hello or hi?", e.asked[0].Params.ToolCall.Title)
			assert.Equal(t, 1, strings.Count(e.said(), c.got), e.said())
			assert.NoFileExists(t, filepath.Join(e.project, ".ralph/.answers"))
		})
	}
	t.Run("somewhere else", func(t *testing.T) {
		t.Parallel()
		e := beginSession(t, play, nil)
		id := e.prompt("Greet.")
		asked := e.until(func(m acpMessage) bool { return m.Method == "session/request_permission" })
		answerElsewhere(t, e.project, "hi, from afar")
		taken := e.until(func(m acpMessage) bool { return m.Method == "$/cancel_request" })
		assert.Equal(t, string(asked.ID), string(taken.Params.RequestID))
		e.reply(asked, "decide") // too late
		assert.Equal(t, "end_turn", e.stop(e.answer(id)))
		assert.Contains(t, e.said(), "    hi, from afar")
		assert.NotContains(t, e.said(), "Decide for yourself")
	})
}

// An agent may use ripple acp for loops of its own, and answer and continue them. It does not get the
// session of another connection, which may be its user's.
func TestAnEditorThatAnAgentStarted(t *testing.T) {
	t.Setenv(agent.InAgentVariable, "1")
	const play = `turns:
  - steps:
      - status: {STATUS: BLOCKED, RECOMMENDATION: "Hello or hi?"}
  - steps:
      - text: "{prompt}\nLOOP_COMPLETE"
`
	e := beginSession(t, play, nil)
	e.choose = func(acpMessage) string { return "next" }
	assert.Equal(t, "refusal", e.stop(e.answer(e.prompt("Greet."))))
	assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("hi, please"))))
	assert.Contains(t, e.said(), "    hi, please")

	other := openEditor(t, play, nil)
	other.call("initialize", map[string]any{"protocolVersion": 1})
	place := other.place()
	place["cwd"], place["sessionId"] = e.project, run(t, e.project)
	refused := other.call("session/load", place).Error
	require.NotNil(t, refused)
	assert.Regexp(t, `^only a user's editor may load this session: ripple acp was started by an agent's turn \(RIPPLE_IN_AGENT is set in process [1-9][0-9]*\); begin a new session$`, refused.Message)
}

func answerElsewhere(t *testing.T, project, text string) {
	t.Helper()
	require.NoError(t, journal.Answer(project, record.Question{}.Asked, func(open []record.Question) (string, event.Answer, error) {
		return open[0].ID, event.Answer{Text: text, By: "a user"}, nil
	}))
}

// A denied tool is asked about with its options.
func TestAnEditorAllows(t *testing.T) {
	t.Parallel()
	e := beginSession(t, `turns:
  - steps:
      - deny: {tool: Bash, detail: make deploy}
  - steps:
      - text: "{prompt}\nLOOP_COMPLETE"
`, nil, "--", "--on-denial", "halt")
	e.choose = func(m acpMessage) string {
		for _, o := range m.Params.Options {
			if o.Kind == "allow_always" {
				return o.OptionID
			}
		}
		return ""
	}
	e.answer(e.prompt("Deploy."))
	require.Len(t, e.asked, 1)
	assert.Contains(t, e.said(), "It is allowed now.")
}

// A question of the agent during a turn is passed on to the editor, and the turn waits.
func TestAQuestionDuringATurnReachesTheEditor(t *testing.T) {
	t.Parallel()
	const play = "turns: [{steps: [{deny: {tool: Bash, detail: make deploy}}, {write: {path: a.txt, content: x}}, {text: LOOP_COMPLETE}]}]"
	result := func(e *editor) string {
		for _, u := range e.of("tool_call_update") {
			if u.text() == "allowed" || u.text() == "refused" {
				return u.Status + " " + u.text()
			}
		}
		return ""
	}
	for name, c := range map[string]struct {
		choose, want string
		args         []string
	}{
		"a loop allows":  {"yes", "completed allowed", nil},
		"a loop refuses": {"no", "failed refused", nil},
		"a turn allows":  {"yes", "completed allowed", []string{"--turn"}},
		"a turn refuses": {"no", "failed refused", []string{"--turn"}},
		"a rule allows":  {"never", "completed allowed", []string{"--", "--allow", "Bash(make *)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := beginSession(t, play, nil, append([]string{"--transport", "acp"}, c.args...)...)
			e.choose = func(acpMessage) string { return c.choose }
			e.stop(e.answer(e.prompt("Deploy.")))
			assert.Equal(t, c.want, result(e))
			assert.FileExists(t, filepath.Join(e.project, "a.txt"), "the turn continues")
			if c.choose == "never" {
				assert.Empty(t, e.asked)
				return
			}
			require.Len(t, e.asked, 1)
			assert.Equal(t, "execute", e.asked[0].Params.ToolCall.Kind)
			assert.Contains(t, e.asked[0].Params.ToolCall.Title, "make deploy")
		})
	}
	t.Run("a cancel while a question is open", func(t *testing.T) {
		t.Parallel()
		e := beginSession(t, play, nil, "--transport", "acp")
		id := e.prompt("Deploy.")
		asked := e.until(func(m acpMessage) bool { return m.Method == "session/request_permission" })
		e.send(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": e.session}})
		e.reply(asked, "")
		assert.Equal(t, "cancelled", e.stop(e.answer(id)))
		e.choose, e.updates = func(acpMessage) string { return "yes" }, nil
		assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("Go on."))))
		assert.Len(t, e.asked, 1, "it is asked again")
		assert.Equal(t, "completed allowed", result(e))
		told, err := os.ReadFile(filepath.Join(e.project, ".ralph/events.jsonl"))
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(told), `"type":"asked"`), "it is one question")
		assert.Equal(t, 1, strings.Count(string(told), `"type":"answered"`))
	})
}

// The reason for the end of a loop is reported as a stop reason of the protocol, and the next
// prompt continues the loop.
func TestAnEditorGetsTheStopReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play, want string
		args       []string
		code       float64
	}{
		"a budget":      {"turns: [{steps: [{write: {path: a, content: x}}]}]", "max_turn_requests", []string{"--max-turns", "1"}, 5},
		"no progress":   {"turns: [{steps: [{text: a}]}]", "max_turn_requests", nil, 6},
		"not verified":  {"turns: [{steps: [{text: LOOP_COMPLETE}]}]", "max_turn_requests", []string{"--verify", "false", "--verify-attempts", "1"}, 7},
		"nobody is in":  {"turns: [{failed: true, kind: auth, result: no key}]", "refusal", nil, 8},
		"it is done":    {"turns: [{steps: [{text: LOOP_COMPLETE}]}]", "end_turn", nil, 0},
		"and done well": {"turns: [{steps: [{text: LOOP_COMPLETE}]}]", "end_turn", []string{"--verify", "true"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := beginSession(t, c.play, nil, append([]string{"--"}, c.args...)...)
			for range 2 {
				m := e.answer(e.prompt("Do it."))
				assert.Equal(t, c.want, e.stop(m))
				meta := field(t, m.Result, "_meta").(map[string]any)["ripple"].(map[string]any)
				assert.Equal(t, c.code, meta["exitCode"])
			}
		})
	}
	t.Run("a setting that is wrong", func(t *testing.T) {
		t.Parallel()
		e := beginSession(t, twoTurns, map[string]string{"ripple.yml": "loop: {max_turns: none}\n"})
		m := e.answer(e.prompt("Do it."))
		require.NotNil(t, m.Error)
		assert.Equal(t, -32603, m.Error.Code)
		assert.Contains(t, m.Error.Message, "ripple.yml:1:")
	})
}

// Flags after "--" may put the agent into a working tree of its own: the plan, the places of its tool uses and the checks are
// those of that tree, also of a session that is loaded.
func TestAnEditorDrivesALoopInAWorktree(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"in one argument":  {"--", "--worktree=agent/w"},
		"in two arguments": {"--", "--worktree", "agent/w"},
		"with its default": {"--", "--worktree"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(twoTasks)
			files[".gitignore"] = ".ralph/*\n!.ralph/@fix_plan.md\n"
			e := beginSession(t, twoTurns, files, args...)
			cmd := exec.Command("sh", "-ec", "git init -q -b main --template=; git config user.name t; git config user.email t@localhost; git add .; git commit -qm begin")
			cmd.Dir = e.project
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)

			assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("Do it."))), e.said())
			branch := "agent/w"
			if len(args) == 2 && args[1] == "--worktree" {
				branch = "ripple"
			}
			dir := filepath.Join(e.project, ".ralph", branch+"-worktree")
			assert.FileExists(t, filepath.Join(dir, "b.txt"))
			assert.NoFileExists(t, filepath.Join(e.project, "a.txt"))
			assert.Contains(t, states(e.of("plan")), "completed completed")
			places := func(e *editor) (list []string) {
				for _, u := range e.of("tool_call") {
					for _, l := range u.Locations {
						list = append(list, l.Path)
					}
				}
				return list
			}
			want := []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, ".ralph/@fix_plan.md"), filepath.Join(dir, "b.txt"), filepath.Join(dir, ".ralph/@fix_plan.md")}
			assert.Equal(t, want, places(e))

			other := openEditor(t, twoTurns, nil)
			other.call("initialize", map[string]any{"protocolVersion": 1})
			place := e.place()
			place["sessionId"] = e.session
			require.Nil(t, other.call("session/load", place).Error)
			assert.Equal(t, want, places(other))
		})
	}
}

// An editor shows that the agent left its branch. The next prompt is answered with the command that brings the commits back, and
// after that the loop goes on.
func TestAnEditorHearsOfALeftBranch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ leave, told, work, row, next string }{
		"for a commit without a branch": {"git checkout -q --detach", `commit [0-9a-f]+ \(detached HEAD\)`, "no branch", "to keep: `` git -C .* switch -c agent/w-2 ``", "git -C D switch -c agent/w-2 && git -C D switch agent/w && git -C D merge agent/w-2"},
		"for a branch of its own":       {"git checkout -q -b own", "branch own", "own", "to merge: `` git merge own ``", "git -C D switch agent/w && git -C D merge own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play := "turns: [{steps: [{run: 'test -e work.txt || { " + c.leave + "; echo more > work.txt; }'}, {text: LOOP_COMPLETE}]}]\n"
			e := beginSession(t, play, map[string]string{".gitignore": ".ralph/\n"}, "--", "--worktree=agent/w", "--commit")
			git := func(command string) string {
				t.Helper()
				cmd := exec.Command("sh", "-ec", command)
				cmd.Dir = e.project
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s: %s", command, out)
				return string(out)
			}
			git("git init -q -b main --template=; git config user.name t; git config user.email t@localhost; git add .; git commit -qm begin")
			assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("Do it."))))
			thoughts := ""
			for _, u := range e.of("agent_thought_chunk") {
				thoughts += u.text()
			}
			assert.Regexp(t, "(?m)^turn 1 left branch agent/w: "+c.told+" is checked out now, and commits go there$", thoughts)
			assert.Regexp(t, `(?m)^Committed: [0-9a-f]+$`, thoughts)
			ended := e.said()
			assert.Regexp(t, `(?m)^- moved: agent/w was left: the work is on `+c.work+`.*\n(- .*\n)*`+"- "+c.row+"$", ended)

			assert.Equal(t, "refusal", e.stop(e.answer(e.prompt("Go on."))))
			_, command, found := strings.Cut(strings.TrimPrefix(e.said(), ended), "`")
			require.True(t, found, e.said())
			command, _, _ = strings.Cut(command, "`")
			dir := filepath.Join(e.project, ".ralph/agent/w-worktree")
			assert.Equal(t, c.next, strings.ReplaceAll(command, dir, "D"))
			git(command)
			assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("Go on."))))
			assert.Equal(t, "ripple: turn 1\nbegin\n", git("git log --format=%s agent/w"))
		})
	}
}

// A cancel ends the loop after the turn, a second one ends the turn.
func TestAnEditorCancels(t *testing.T) {
	t.Parallel()
	const play = "turns:\n  - steps:\n      - text: I wait.\n      - run: read line < gate\n      - write: {path: a.txt, content: x}\n"
	waits := func(m acpMessage) bool { return strings.HasPrefix(m.Params.Update.text(), "I wait.") }
	start := func(t *testing.T) (*editor, string) {
		e := beginSession(t, play, nil)
		require.NoError(t, syscall.Mkfifo(filepath.Join(e.project, "gate"), 0o600))
		id := e.prompt("Do it.")
		e.until(waits)
		return e, id
	}
	cancel := func(e *editor) {
		e.send(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": e.session}})
	}
	t.Run("once", func(t *testing.T) {
		t.Parallel()
		e, id := start(t)
		cancel(e)
		m := e.call("session/prompt", map[string]any{"sessionId": e.session, "prompt": []any{map[string]any{"type": "text", "text": "more"}}})
		require.NotNil(t, m.Error, "a second prompt")
		assert.Equal(t, -32600, m.Error.Code)
		select { // the cancel passes through the processes on the way to the loop
		case <-e.stops.came:
		case <-time.After(acpBound):
			require.FailNow(t, "the loop does not report the cancel")
		}
		require.NoError(t, os.WriteFile(filepath.Join(e.project, "gate"), []byte("go\n"), 0o600))
		assert.Equal(t, "cancelled", e.stop(e.answer(id)))
		assert.FileExists(t, filepath.Join(e.project, "a.txt"), "the turn came to its end")
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		e, id := start(t)
		cancel(e)
		cancel(e)
		assert.Equal(t, "cancelled", e.stop(e.answer(id)))
		assert.Contains(t, e.said(), "Interrupted during a turn")
		id = e.prompt("Go on.")
		e.until(waits)
		require.NoError(t, os.WriteFile(filepath.Join(e.project, "gate"), []byte("go\n"), 0o600))
		e.until(func(m acpMessage) bool { return strings.HasPrefix(m.Params.Update.Title, "Turn 1: ") })
		cancel(e)
		cancel(e)
		e.answer(id)
		told, err := os.ReadFile(filepath.Join(e.project, ".ralph/events.jsonl"))
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(told), `"type":"guided"`), "the answer went to the same loop")
	})
}

// All processes end when the editor ends in any way.
func TestAnEditorEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(e *editor){
		"closes its end":      func(e *editor) { require.NoError(e.t, e.in.Close()) },
		"ends it":             func(e *editor) { require.NoError(e.t, e.cmd.Process.Signal(syscall.SIGTERM)) },
		"kills it":            func(e *editor) { require.NoError(e.t, e.cmd.Process.Kill()) },
		"kills its group":     func(e *editor) { require.NoError(e.t, syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL)) },
		"kills what is in it": func(e *editor) { require.NoError(e.t, syscall.Kill(inner(e.cmd.Process.Pid), syscall.SIGKILL)) },
	} {
		for _, args := range [][]string{nil, {"--turn"}} {
			t.Run(strings.TrimSpace(name+" "+strings.Join(args, "")), func(t *testing.T) {
				t.Parallel()
				e := beginSession(t, "turns: [{steps: [{run: 'setsid sleep 1000 >/dev/null 2>&1 & echo begun'}, {deaf: true}, {stall: true}]}]", nil, args...)
				e.prompt("Do it.")
				e.until(func(m acpMessage) bool { return strings.HasPrefix(m.Params.Update.Title, "Bash") })
				end(e)
				e.nothingLeft()
			})
		}
	}
}

// One turn of an agent, without a loop.
func TestAnEditorRunsTurns(t *testing.T) {
	t.Parallel()
	e := beginSession(t, "turns: [{steps: [{text: 'You said: {prompt}'}, {write: {path: a.txt, content: x}}], usage: {input: 1, output: 1, cost_usd: 0.5}}]", nil, "--turn")
	assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("hello"))))
	assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("again"))))
	assert.Equal(t, "You said: hello\n\nYou said: again\n\n", e.said())
	assert.Len(t, e.of("tool_call"), 2)
	assert.NoFileExists(t, filepath.Join(e.project, ".ralph/events.jsonl"), "there is no loop")
	m := e.call("session/load", map[string]any{"sessionId": e.session, "cwd": e.project, "mcpServers": []any{}})
	assert.Equal(t, -32601, m.Error.Code)
	m = e.call("session/close", map[string]any{"sessionId": e.session})
	assert.Nil(t, m.Error)
	assert.Equal(t, -32002, e.answer(e.prompt("too late")).Error.Code)
}

// Invalid requests are answered, and so are valid ones after them.
func TestABrokenEditor(t *testing.T) {
	t.Parallel()
	e := openEditor(t, twoTurns, nil)
	early := e.call("session/new", e.place())
	assert.Equal(t, -32600, early.Error.Code)
	e.call("initialize", map[string]any{"protocolVersion": 99})
	long := `{"jsonrpc":"2.0","id":"long","method":"session/prompt","params":{"text":"` + strings.Repeat("x", 10<<20) + `"}}`
	for _, c := range []struct {
		line, id string
		code     int
	}{
		{"hello", "null", -32700},
		{`{"jsonrpc":"2.0"`, "null", -32700},
		{`[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`, "null", -32600},
		{`{"jsonrpc":"1.0","id":"a","method":"initialize"}`, `"a"`, -32600},
		{`{"jsonrpc":"2.0","id":"a","method":5}`, `"a"`, -32600},
		{`{"jsonrpc":"2.0","id":"a"}`, `"a"`, -32600},
		{`{"jsonrpc":"2.0","id":"a","method":"session/steal"}`, `"a"`, -32601},
		{`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}`, `"a"`, -32602},
		{`{"jsonrpc":"2.0","id":"a","method":"session/new","params":{"cwd":"here"}}`, `"a"`, -32602},
		{`{"jsonrpc":"2.0","id":"a","method":"session/new","params":{"cwd":"/nowhere/at/all"}}`, `"a"`, -32602},
		{`{"jsonrpc":"2.0","id":"a","method":"session/new","params":7}`, `"a"`, -32602},
		{`{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`, `"a"`, -32002},
		{`{"jsonrpc":"2.0","id":"a","method":"session/load","params":{"sessionId":"x","cwd":"/","mcpServers":[]}}`, `"a"`, -32002},
		{long, `"long"`, -32600},
	} {
		e.write(c.line)
		m := e.take()
		require.NotNil(t, m.Error, c.line)
		assert.Equal(t, c.code, m.Error.Code, "%.100s", c.line)
		assert.Equal(t, c.id, string(m.ID), "%.100s", c.line)
		assert.NotEmpty(t, m.Error.Message)
	}
	for _, nothing := range []string{"", "\r", `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}`, `{"jsonrpc":"2.0","method":"session/cancel"}`, `{"jsonrpc":"2.0","method":"$/new"}`} {
		e.write(nothing)
	}
	e.session = field(t, e.call("session/new", e.place()).Result, "sessionId").(string)
	for _, content := range []string{`[]`, `[{"type":"text","text":" "}]`, `[{"type":"image","data":"","mimeType":"image/png"}]`, `"text"`} {
		m := e.call("session/prompt", map[string]any{"sessionId": e.session, "prompt": json.RawMessage(content)})
		require.NotNil(t, m.Error, content)
		assert.Equal(t, -32602, m.Error.Code, content)
	}
}
