//go:build linux

package consoles

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// agentScenario is a scenario of the scripted agent, whose interface runs in a console.
const agentScenario = `turns:
  - steps:
      - text: Hello from the first turn.
      - deny: {tool: Write, detail: notes.txt}
      - text: I went on.
  - steps:
      - text: "A quote:\n\n> of somebody"
  - steps:
      - text: I begin.
      - stall: true
  - steps:
      - exit: 3
  - steps:
      - text: The last.
`

func (p *place) rehearses(size ...string) {
	p.Helper()
	require.NoError(p, os.WriteFile(p.path("scenario.yaml"), []byte(agentScenario), 0o600))
	p.env = append(p.env, "RIPPLE_SCENARIO="+p.path("scenario.yaml"))
	p.start("r", append([]string{"rehearsal"}, size...)...)
}

// An agent's own interface runs in a console: prompts are its commands, at any size.
func TestAnAgentOnItsOwnScreen(t *testing.T) {
	t.Parallel()
	for _, size := range testkit.Sample(t, 1, [][]string{{"80", "24"}, {"120", "40"}}) {
		t.Run(size[0], func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.rehearses("--cols", size[0], "--rows", size[1])
			assert.Equal(t, "idle", p.status("r").State)

			r := p.exec("r", "say hello")
			assert.Equal(t, 4, r.code, "%+v", r)
			assert.Empty(t, r.out)
			assert.Equal(t, "ripple: the agent waits for a user (asks): Allow Write?\nnotes.txt\n"+
				"  to answer: ripple console send r --answer allow_once|reject_once; then, to wait: ripple console wait r\n", r.err)
			assert.Equal(t, "waiting_for_input", p.status("r").State)
			assert.Contains(t, p.ok("console", "peek", "r"), "Allow Write?\nnotes.txt\n")
			assert.Contains(t, p.ok("console", "list"), "asks: Allow Write?")

			r = p.exec("r", "and now?")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, "is still running")
			r = p.run("", "console", "send", "r", "--answer", "perhaps")
			assert.Contains(t, r.err, `"perhaps" is not an answer to this question: use one of allow_once, reject_once`)
			p.ok("console", "send", "r", "--answer", "allow_once")
			assert.Equal(t, "● Hello from the first turn.\n\n● Write: allowed\n\n● I went on.\n", p.ok("console", "wait", "r"))

			assert.Equal(t, "● A quote:\n\n  > of somebody\n", p.ok("console", "exec", "r", "a prompt\nof two lines"))
			assert.Equal(t, "● Hello from the first turn.\n\n● Write: allowed\n\n● I went on.\n", p.ok("console", "read", "r", "--command", "1"))

			r = p.exec("r", "go on", "--timeout", "1s")
			assert.Equal(t, 4, r.code, "%+v", r)
			assert.Contains(t, r.err, "still running")
			p.ok("console", "send", "r", "--key", "esc")
			assert.Contains(t, p.run("", "console", "wait", "r").out, "✗ Interrupted")

			r = p.exec("r", "fail")
			assert.Equal(t, 1, r.code, "%+v", r)
			assert.Contains(t, r.out, "exit code 3")
			assert.Equal(t, "● The last.\n", p.ok("console", "exec", "r", "after a failure"))
			p.ok("console", "close", "r")
			p.requireNothingLeft()
		})
	}
}

// A question before the first prompt is reported, and can be answered.
func TestAnAgentThatAsksAtItsStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.run("", "console", "start", "rehearsal", "--name", "r", "--", "--untrusted")
	require.Zero(t, r.code, "%+v", r)
	assert.Equal(t, "r\n", r.out)
	assert.Regexp(t, `^ripple: the agent waits for a user \(trust\): Do you trust the files in this directory\?\n\S+\n`+
		`  to answer: ripple console send r --answer accept\|reject; then, to wait: ripple console wait r --for input\n$`, r.err)

	r = p.exec("r", "hello")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.err, "waits for an answer (trust), not for a prompt")
	assert.Contains(t, r.err, "--answer accept|reject")
	p.ok("console", "send", "r", "--answer", "accept")
	p.ok("console", "wait", "r", "--for", "input")
	assert.Equal(t, "idle", p.status("r").State)
}

// taking is an agent whose screen shows nothing of an interrupted turn, like agents that put the
// prompt back into the input.
const taking = `schema: 1
name: taking
version: 1.0.0
description: The scripted agent, otherwise
family: agent
process: {executable: ripple}
agent:
  transport: screen
  screen:
    args: [rehearse, --screen]
    quiet_ms: 200
    states:
      - {state: ready, rows: [-12, -1], pattern: '^>(?: .*)?\n(?:  .*\n)*─+\n  (?:enter sends|ctrl\+c again)', title: '^✳', progress: false}
      - {state: working, rows: [-2, -1], pattern: '^  esc to interrupt\z', priority: 1}
    prompt: {submit: ["\r"]}
    interrupt: ["\e"]
    leave: ["\x03", "\x03"]
    text: {below: '^(?:\* Working…\n)?─+\n>(?: |$)', prompt: '^> ', mark: '^[●✗] ', drop: ['^✗ Interrupted']}
tests: [{name: t, turn: {prompt: x}, expect_argv: [ripple, rehearse, --screen]}]
`

// A wait reports the state of the agent if the screen shows nothing new.
func TestAWaitReportsTheStateOfTheAgent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.path("scenario.yaml"), []byte("turns:\n  - steps:\n      - stall: true\n"), 0o600))
	require.NoError(t, os.WriteFile(p.path("taking.yaml"), []byte(taking), 0o600))
	p.env = append(p.env, "RIPPLE_SCENARIO="+p.path("scenario.yaml"))
	path, err := ripple()
	require.NoError(t, err)
	p.start("r", p.path("taking.yaml"), "--executable", path)
	const told = "ripple: nothing new is on the agent's screen; it is ready for a prompt\n  to see the screen: ripple console peek r\n"

	t.Log("a typed prompt is not a command")
	p.ok("console", "send", "r", "one", "--key", "enter")
	p.ok("console", "wait", "r", "--for", "text", "--text", "esc to interrupt")
	p.ok("console", "send", "r", "--key", "esc")
	r := p.run("", "console", "wait", "r")
	assert.Zero(t, r.code, "%+v", r)
	assert.Equal(t, told, r.err)

	t.Log("a prompt entered by exec is a command")
	r = p.exec("r", "two", "--timeout", "1s")
	assert.Equal(t, 4, r.code, "%+v", r)
	p.ok("console", "wait", "r", "--for", "text", "--text", "esc to interrupt")
	p.ok("console", "send", "r", "--key", "esc")
	r = p.run("", "console", "wait", "r")
	assert.Zero(t, r.code, "%+v", r)
	assert.Empty(t, r.out)
	assert.Equal(t, told, r.err)
}

// For an agent that ends at its start, the last screen is reported; an agent without a described
// screen is refused.
func TestAnAgentThatEndsAtItsStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.run("", "console", "start", "rehearsal", "--", "--no-such-flag")
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.err, "the program ended with exit code")
	assert.Contains(t, r.err, "no-such-flag")
	adapter := p.path("plain.yaml")
	require.NoError(t, os.WriteFile(adapter, []byte(`schema: 1
name: plain
version: 1.0.0
description: An agent without a screen
family: agent
process: {executable: sh}
agent: {prompt: {}, output: {format: text}}
tests: [{name: t, turn: {prompt: x}, expect_argv: [sh, x]}]
`), 0o600))
	r = p.run("", "console", "start", adapter)
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "plain: its adapter does not describe its screen: agent.screen is missing")
	assert.Empty(t, p.list())
}

// A model drives an agent as it drives a shell.
func TestAModelDrivesAnAgent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.rehearses()
	s := p.server()
	got := s.call("console_exec", args{"console": "r", "code": "say hello"})
	assert.Contains(t, got, "[r #1] waiting_for_input")
	assert.Contains(t, got, "the agent waits (asks):")
	assert.Contains(t, got, "to answer: console_send answer=allow_once|reject_once")
	got = s.call("console_send", args{"console": "r", "answer": "reject_once", "wait_s": 30})
	assert.Contains(t, got, "[r #1] done")
	assert.Contains(t, got, "● Write: refused")
}

// A detached turn continues in a console.
func TestADetachedTurn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.path("scenario.yaml"), []byte(agentScenario), 0o600))
	p.env = append(p.env, "RIPPLE_SCENARIO="+p.path("scenario.yaml"))
	r := p.run("", "agent", "run", "--adapter", "rehearsal", "--screen", "--detach", "say hello")
	require.Zero(t, r.code, "%+v", r)
	name := strings.TrimSpace(r.out)
	assert.Contains(t, r.err, "to see the agent: ripple console attach "+name)
	p.run("", "console", "wait", name)
	p.ok("console", "send", name, "--answer", "allow_once")
	assert.Equal(t, "● Hello from the first turn.\n\n● Write: allowed\n\n● I went on.\n", p.ok("console", "wait", name))
	p.ok("console", "close", name)
	p.requireNothingLeft()

	r = p.run("", "agent", "run", "--adapter", "rehearsal", "--detach", "say hello")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "--detach needs a turn on the agent's own screen")
}
