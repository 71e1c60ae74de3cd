//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	expect "github.com/Netflix/go-expect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// hostileText sets a title and the clipboard, moves the cursor, hides text, clears the line, and
// changes the direction of text.
const hostileText = "evil\x1b]0;PWNED\a\x1b]52;c;UFdORUQ=\a\x1b[13;37H\x1b[8m\r\x1b[KERASED\u202e\u009b13;37H"

// obeyed matches the sequences of hostileText that would take effect on a terminal. Full-screen
// commands write similar sequences themselves, so the texts and numbers are distinctive.
var obeyed = regexp.MustCompile(`\x1b\][^\a\x1b]*PWNED|\x1b\]52|\x1b\[13;37H|\x1b\[8m|\x1b\[KERASED|\x{202e}|\x{9b}|\x9b13`)

// typed is input that a user types after a text appears.
type typed struct{ wait, keys string }

// hostileLine is a command line in a hostile project, on a terminal.
type hostileLine struct {
	args  []string
	keys  []typed
	env   string
	quiet bool // it shows no untrusted text
}

// hostileLines call each command of ripple with the untrusted text that it shows: names,
// descriptions, texts of agents, files. They are in the order of a loop. HOSTILE is hostileText.
var hostileLines = []hostileLine{
	{quiet: true, args: words("help run")},
	{args: words("help HOSTILE")},
	{quiet: true, args: words("version")},
	{quiet: true, args: words("exit-codes")},
	{quiet: true, args: words("completion bash")},
	{quiet: true, args: words("completion zsh")},
	{quiet: true, args: words("completion fish")},
	{quiet: true, args: words("completion powershell")},
	{quiet: true, args: words("schema project")},
	{args: words("adapter show evil")},
	{args: words("adapter list")},
	{args: words("adapter lint --all")},
	{args: words("adapter lint HOSTILE.yaml")},
	{args: words("adapter explain HOSTILE")},
	{quiet: true, args: words("adapter new HOSTILE")},
	{args: words("adapter test HOSTILE")},
	{args: words("adapter test evil --no-derived")},
	{args: words("adapter test evil --no-derived --verbose")},
	{args: words("adapter test evil --no-derived --report json")},
	{args: words("adapter record HOSTILE")},
	{args: words("adapter matrix report.json")},
	{args: words("adapter merge report.json")},
	{args: words("adapter try HOSTILE")},
	{quiet: true, args: words("agent matrix report.json")},
	{args: words("agent map --adapter rehearsal"), keys: []typed{{"", `{"type":"text","text":"evil\u001b]0;PWNED\u0007\u202e"}` + "\n\x04"}}},
	{quiet: true, args: words("doctor")},
	{args: words("doctor HOSTILE")},
	{args: words("mcp config HOSTILE")},
	{args: words("mcp --adapters HOSTILE")},
	{quiet: true, args: words("acp --adapter HOSTILE"), keys: []typed{{"waiting for an editor", "\x04"}}},
	{args: words("trust --show")},
	{args: words("exec evil true"), keys: []typed{{"[y/N] ", "n\n"}}, env: "RIPPLE_TRUST="},
	{quiet: true, args: words("exec evil true"), env: "RIPPLE_TRUST=never"},
	{args: words("exec HOSTILE true")},
	{args: words("exec bash true --cwd HOSTILE")},
	{args: words("box --net HOSTILE -- true")},
	{args: words("box --explain -- HOSTILE")},
	{args: words("hats")},
	{quiet: true, args: words("emit HOSTILE HOSTILE")},
	{args: words("init --preset HOSTILE")},
	{quiet: true, args: words("init --from HOSTILE")},
	{args: words("run --dry-run")},
	{args: words("run --adapter HOSTILE")},
	{args: words("run --verify HOSTILE")},
	{args: words("run")},
	{args: words("run"), env: "NO_COLOR=1"},
	{args: words("run"), env: "TERM=dumb"},
	{quiet: true, args: words("run --resume")},
	{args: words("status")},
	{args: words("events")},
	{args: words("answer HOSTILE HOSTILE")},
	{quiet: true, args: words("guide HOSTILE")},
	{args: words("watch"), keys: []typed{{"q quit", "q"}}},
	{args: words("replay")},
	{args: words("replay --turn 1")},
	{quiet: true, args: words("replay HOSTILE")},
	{quiet: true, args: words("stop")},
	{quiet: true, args: words("reset session")},
	{quiet: true, args: words("reset HOSTILE")},
	{args: words("agent run --adapter rehearsal HOSTILE")},
	{args: words("agent run --adapter rehearsal HOSTILE"), env: "TERM=dumb"},
	{quiet: true, args: words("console start bash --name c")},
	{args: words("console start HOSTILE")},
	{quiet: true, args: []string{"console", "exec", "c", ": 'evil\x1b]0;PWNED\a\u202e'"}},
	{args: words("console list")},
	{args: words("console history c")},
	{args: words("console logs c")},
	{args: words("console peek c")},
	{quiet: true, args: []string{"console", "exec", "c", `printf 'evil\33[13;37Hx\n' >out`}},
	{quiet: true, args: words("console read c")},
	{args: words("console record c : --svg HOSTILE/x.svg")},
	{args: words("console resize c HOSTILE 1")},
	{args: words("console send c --key HOSTILE")},
	{args: words("console wait c --for HOSTILE")},
	{args: words("console attach HOSTILE")},
	{args: words("console close HOSTILE")},
	{quiet: true, args: words("console close c")},
	{quiet: true, args: words("trust --revoke")},
}

func words(line string) []string { return strings.Fields(line) }

// No command of ripple lets a project, an agent or a command line control the terminal. A new
// command needs a line in hostileLines, unless it only groups others.
func TestNothingHostileReachesATerminal(t *testing.T) {
	t.Parallel()
	var lines [][]string
	for _, line := range hostileLines {
		lines = append(lines, line.args)
	}
	requireAll(t, "hostileLines", lines)
	p := newHostileTerminal(t)
	p.refuseFlags()
	for _, line := range hostileLines {
		p.run(line)
	}
}

// hostileTerminal is a terminal in a hostile project.
type hostileTerminal struct {
	t       *testing.T
	dir     string
	environ []string
}

func newHostileTerminal(t *testing.T) *hostileTerminal {
	t.Helper()
	top := t.TempDir()
	p := &hostileTerminal{t: t, dir: filepath.Join(top, hostileText)}
	hostile := strings.ReplaceAll(strconv.QuoteToASCII(hostileText), `\a`, `\u0007`)
	hostile = strings.ReplaceAll(hostile, `\x`, `\u00`) // YAML accepts JSON strings
	event := `"<event topic=\"a.b\">` + hostile[1:len(hostile)-1] + `</event>"`
	for name, content := range map[string]string{
		".git/HEAD":               "ref: refs/heads/main\n",
		".git/config":             "",
		hostileText:               hostileText,
		"scenario.yaml":           "turns: [{steps: [{text: HOSTILE}, {text: EVENT}, {stderr: HOSTILE}, {raw: HOSTILE}, {tool: {name: HOSTILE, input: {command: HOSTILE}, result: HOSTILE, failed: true}}, {deny: {tool: HOSTILE, detail: HOSTILE}}, {error: {message: HOSTILE}}, {status: {STATUS: BLOCKED, EXIT_SIGNAL: 'false', RECOMMENDATION: HOSTILE}}]}]\n",
		"report.json":             `{"version":1,"reports":[{"adapter":HOSTILE,"adapter_version":HOSTILE,"file":HOSTILE,"executable":HOSTILE,"tests":[{"name":HOSTILE,"kind":"declared","status":"failed","file":HOSTILE,"failure":{"message":HOSTILE}}]}]}`,
		"ripple.yml":              "cli: {backend: rehearsal}\nloop: {max_turns: 1, wait_for_answer: never, verify: ['true']}\nhats: {a: {name: HOSTILE, description: HOSTILE, triggers: [work.start], publishes: [a.b], instructions: HOSTILE}}\nevent_loop: {starting_event: work.start}\n",
		".ralph/PROMPT.md":        hostileText,
		".ralph/@fix_plan.md":     "- [ ] " + hostileText + "\n",
		".ralph/live.log":         hostileText,
		".ripple/adapters/a.yaml": strings.NewReplacer("NAME", "evil", "ALIAS", "evil2", "not what it seems", hostile, "EVIL", "/bin/sh", "expect: hi", "expect: evil").Replace(shellAdapter) + "tests: [{name: evil, eval: \"printf 'evil\\\\033]0;PWNED\\\\007'\", expect: hi}]\n",
		".ripple/adapters/" + hostileText + ".yaml": "name: z\n" + hostileText,
	} {
		path := filepath.Join(p.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer("HOSTILE", hostile, "EVENT", event).Replace(content)), 0o600))
	}
	private := filepath.Join(top, "private")
	require.NoError(t, os.Mkdir(private, 0o700))
	p.environ = append(os.Environ(), "HOME="+top, "XDG_RUNTIME_DIR="+private, "XDG_STATE_HOME="+private, "XDG_CONFIG_HOME="+private,
		"TERM=xterm-256color", "NO_COLOR=", "RIPPLE_TRUST=always", "RIPPLE_SCENARIO="+filepath.Join(p.dir, "scenario.yaml"))
	return p
}

// refuseFlags calls each command with a hostile flag and checks the output on the terminal. No command gets as far as the
// project, so all run in this process.
func (p *hostileTerminal) refuseFlags() {
	p.t.Helper()
	var all strings.Builder
	console, err := expect.NewConsole(expect.WithStdout(&all), expect.WithDefaultTimeout(commandTimeout))
	require.NoError(p.t, err)
	defer console.Close()
	_, commands := tree(p.t)
	go func() {
		for _, cmd := range commands {
			args := append(words(cmd.CommandPath())[1:], "--"+hostileText)
			assert.Equal(p.t, ui.ExitUsage, Main(args, console.Tty(), console.Tty(), console.Tty()), "%q", args)
		}
		_ = console.Tty().Close() // the end of the output
	}()
	_, _ = console.Expect(expect.EOF, expect.PTSClosed) // the end itself may be an error
	lines := strings.SplitAfter(all.String(), "unknown flag: ")
	assert.Len(p.t, lines, 1+len(commands), "%q", all.String())
	for _, line := range lines[1:] {
		assert.True(p.t, strings.HasPrefix(line, "--evil"), "%q", line)
	}
	assert.Empty(p.t, obeyed.FindAllString(all.String(), -1), "%q", all.String())
}

// run runs a command line to its end and checks the output on the terminal.
func (p *hostileTerminal) run(line hostileLine) {
	p.t.Helper()
	path, err := binary()
	require.NoError(p.t, err)
	var all strings.Builder
	console, err := expect.NewConsole(expect.WithStdout(&all), expect.WithDefaultTimeout(commandTimeout))
	require.NoError(p.t, err)
	defer console.Close()
	args := make([]string, len(line.args))
	for i, arg := range line.args {
		args[i] = strings.ReplaceAll(arg, "HOSTILE", hostileText)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = p.dir, append(p.environ[:len(p.environ):len(p.environ)], line.env)
	require.NoError(p.t, unix.IoctlSetWinsize(int(console.Tty().Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 200, Row: 50}))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = console.Tty(), console.Tty(), console.Tty()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(p.t, cmd.Start())
	require.NoError(p.t, console.Tty().Close())
	over := time.AfterFunc(commandTimeout, func() { _ = cmd.Process.Kill() })
	for _, k := range line.keys {
		if k.wait != "" {
			_, err := console.ExpectString(k.wait)
			assert.NoError(p.t, err, "%q: %q", line.args, all.String())
		}
		_, err := console.Send(k.keys)
		require.NoError(p.t, err)
	}
	_, _ = console.Expect(expect.EOF, expect.PTSClosed) // the end itself may be an error
	_ = cmd.Wait()                                      // the exit code does not matter
	assert.True(p.t, over.Stop(), "%q does not end: %q", line.args, all.String())
	if !line.quiet {
		assert.Contains(p.t, all.String(), "evil", "%q", line.args)
	}
	assert.Empty(p.t, obeyed.FindAllString(all.String(), -1), "%q: %q", line.args, all.String())
}
