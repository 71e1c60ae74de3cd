//go:build unix

package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// scripted returns an agent that is a shell script: $1 is the prompt. say, tool and end print a
// line of its output.
func scripted(t *testing.T, script string, replace ...string) *schema.Adapter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.sh")
	text := `say() { printf '{"t":"say","x":"%s"}\n' "$1"; }
end() { echo '{"t":"end"}'; }
` + script + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	yaml := strings.NewReplacer(append(replace, "SCRIPT", path)...).Replace(adapterText)
	a, ds := schema.Parse("scripted", []byte(yaml), schema.Options{})
	require.Empty(t, ds)
	return a
}

// play runs a turn and returns its events and outcome.
func play(t *testing.T, a *schema.Adapter, o agent.Options) (agent.Outcome, []event.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(30*time.Second))
	defer cancel()
	return playIn(ctx, t, a, agent.Turn{Prompt: "go"}, o)
}

func playIn(ctx context.Context, t *testing.T, a *schema.Adapter, turn agent.Turn, o agent.Options) (agent.Outcome, []event.Event) {
	t.Helper()
	before := testkit.Children(os.Getpid())
	o.OwnsOrphans = true
	out, events := playBeside(ctx, t, a, turn, o)
	assert.Equal(t, before, testkit.Children(os.Getpid()), "no process is left")
	return out, events
}

// playBeside plays a turn beside other turns, in a parallel subtest of a test that calls leavesNoProcess.
func playBeside(ctx context.Context, t *testing.T, a *schema.Adapter, turn agent.Turn, o agent.Options) (agent.Outcome, []event.Event) {
	t.Helper()
	var events []event.Event
	o.OnEvent = func(e event.Event) { events = append(events, e) }
	if o.Grace == 0 {
		o.Grace = 100 * time.Millisecond
	}
	out, err := agent.Run(ctx, a, turn, o)
	require.NoError(t, err)
	return out, events
}

// leavesNoProcess checks at the end of a test that its parallel subtests have left no process.
func leavesNoProcess(t *testing.T) {
	t.Helper()
	before := testkit.Children(os.Getpid())
	t.Cleanup(func() { assert.Equal(t, before, testkit.Children(os.Getpid()), "no process is left") })
}

func TestAPlainTurn(t *testing.T) {
	out, events := play(t, scripted(t, `say "you said $1"; end`), agent.Options{})
	assert.Nil(t, out.Failure)
	assert.Equal(t, "you said go", out.Text)
	assert.Equal(t, []event.Event{{Type: event.Text, Text: "you said go"}, {Type: event.Finished}}, events)
}

// An agent that retried until the time limit was not slow: the rate limit or refused login that
// it reported is the cause, unless output followed it.
func TestATimeoutHasACause(t *testing.T) {
	leavesNoProcess(t)
	span := testkit.Patience(time.Second)
	longer := fmt.Sprintf("the turn took longer than %v", span)
	const wait = "; exec sleep 1000"
	limit := `echo '{"t":"limit"}'`
	for _, c := range []struct {
		name, script string
		want         event.Kind
		message      string
	}{
		{"a limit", limit + wait, event.Limited, longer + ": slow down"},
		{"a refused login", `echo '{"t":"oops","x":"401","kind":"auth"}'` + wait, event.Auth, longer + ": 401"},
		{"another error is none", `echo '{"t":"oops","x":"overloaded"}'` + wait, event.Timeout, longer},
		{"an error that was followed by an answer is not a cause", limit + "; say on" + wait, event.Timeout, longer},
		{"the last one decides", limit + `; say on; echo '{"t":"oops","x":"401","kind":"auth"}'` + wait, event.Auth, longer + ": 401"},
		{"on standard error", `echo 'Rate limit. Trying again' >&2` + wait, event.Limited, longer + ": Rate limit"},
		{"on standard error before an answer", `echo 'Rate limit. Trying again' >&2; sleep 0.3; say on` + wait, event.Timeout, longer},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, _ := playBeside(t.Context(), t, scripted(t, c.script), agent.Turn{Prompt: "go"}, agent.Options{Timeout: span})
			assert.Equal(t, c.want, kind(out))
			assert.Equal(t, c.message, out.Failure.Message)
		})
	}
}

// The file that restricts an agent to a list of tools exists during its turn.
func TestTheFileOfAllowedTools(t *testing.T) {
	a := scripted(t, `case $1 in --policy=*) say "$(cat "${1#--policy=}")";; esac; end`, "options:",
		`options:
    allowed_tools: {limit: '{args: ["--policy={file}"], file: {name: "p.toml", text: .tools[0].name}}'}`)
	out, _ := playIn(t.Context(), t, a, agent.Turn{Prompt: "go", AllowedTools: []string{"read"}}, agent.Options{})
	assert.Nil(t, out.Failure)
	assert.Equal(t, "read", out.Text)
}

// Each of these would hang a naive reader. Each ends in bounded time, keeps the output and leaves
// no process.
func TestNoTurnHangs(t *testing.T) {
	leavesNoProcess(t)
	for _, c := range []struct {
		name, script string
		o            agent.Options
		want         event.Kind
		text         string
	}{
		{"the model's server stalls", `say begun; exec sleep 1000`, agent.Options{IdleTimeout: time.Second}, event.Timeout, "begun"},
		{"it never ends", `while :; do say more; sleep 0.02; done`, agent.Options{Timeout: time.Second}, event.Timeout, "more"},
		{"it ignores SIGINT and SIGTERM", `trap '' INT TERM; say begun; while :; do sleep 1; done`, agent.Options{IdleTimeout: time.Second}, event.Timeout, "begun"},
		{"a grandchild keeps its output open", `say done; end; sleep 1000 & exit 0`, agent.Options{}, "", "done"},
		{"a grandchild that left its session keeps it open", `say done; end; setsid sleep 1000 & exit 0`, agent.Options{}, "", "done"},
		{"it lives on after its result", `say done; end; exec sleep 1000`, agent.Options{}, "", "done"},
		{"it closes its output and stays", `say done; end; exec >&- 2>&-; exec sleep 1000`, agent.Options{}, "", "done"},
		{"it fills its standard error", `head -c 3000000 /dev/zero >&2; say done; end`, agent.Options{}, "", "done"},
		{"it waits for standard input", `cat >/dev/null; say done; end`, agent.Options{}, "", "done"},
		{"a launcher whose child does the work", `sh -c 'sleep 0.1; echo "{\"t\":\"say\",\"x\":\"done\"}"; echo "{\"t\":\"end\"}"' & wait`, agent.Options{}, "", "done"},
		{"the connection drops", `say begun; exit 1`, agent.Options{}, event.Crashed, "begun"},
		{"it is killed", `say begun; kill -9 $$`, agent.Options{}, event.Crashed, "begun"},
		{"it ends without a result and with exit code 0", `say begun; exit 0`, agent.Options{}, event.Crashed, "begun"},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			player := playIn
			if c.want == event.Timeout { // it waits, and leaves no orphans
				t.Parallel()
				player = playBeside
			}
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(30*time.Second))
			defer cancel()
			out, _ := player(ctx, t, scripted(t, c.script), agent.Turn{Prompt: "go"}, c.o)
			assert.Equal(t, c.want, kind(out), "%v", out.Failure)
			assert.Equal(t, c.text, out.Text)
			assert.Less(t, time.Since(begin), 20*time.Second)
		})
	}
}

func TestAProcessThatIsLeftIsNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found on Linux only")
	}
	out, _ := play(t, scripted(t, `end; sleep 1000 & exit 0`), agent.Options{})
	require.Len(t, out.Problems, 1)
	assert.Regexp(t, `the agent left 1 process running, which was ended: \d+ \(\w+\)`, out.Problems[0])
}

func TestInterruptedByTheCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := scripted(t, `trap 'say "got SIGINT"; exit 0' INT; say ready; while :; do sleep 0.05; done`)
	var events []event.Event
	out, err := agent.Run(ctx, a, agent.Turn{Prompt: "x"}, agent.Options{OwnsOrphans: true, Grace: 5 * time.Second, OnEvent: func(e event.Event) {
		events = append(events, e)
		cancel()
	}})
	require.NoError(t, err)
	assert.Equal(t, event.Interrupted, kind(out), "an exit code of 0 does not make it a success")
	assert.Equal(t, "got SIGINT", out.Text, "SIGINT comes first, and what it says then is kept")
}

// Output that an agent writes before it exits is read, however late.
func TestLastWordsAreReadToTheirEnd(t *testing.T) {
	for range testkit.Fewer(t, 4, testkit.Times(t, 6, 12)) { // it is a race that is rarely lost
		ctx, cancel := context.WithCancel(t.Context())
		a := scripted(t, `trap 'head -c 900000 /dev/zero | tr "\0" x; echo; say last; exit 0' INT; say begun; while :; do sleep 0.02; done`)
		out, err := agent.Run(ctx, a, agent.Turn{Prompt: "x"}, agent.Options{OwnsOrphans: true, Grace: 10 * time.Second, OnEvent: func(event.Event) { cancel() }})
		require.NoError(t, err)
		require.Equal(t, "last", out.Text)
	}
}

func TestASlowCallerDoesNotLoseEvents(t *testing.T) {
	var n int
	_, err := agent.Run(t.Context(), scripted(t, `i=0; while [ $i -lt 2000 ]; do say $i; i=$((i+1)); done; end`), agent.Turn{Prompt: "x"},
		agent.Options{OnEvent: func(e event.Event) {
			if e.Type == event.Text {
				assert.Equal(t, strconv.Itoa(n), e.Text)
				n++
			}
		}})
	require.NoError(t, err)
	assert.Equal(t, 2000, n)
}

func TestPromptDelivery(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000) // 200 KB
	report := `if [ $# -eq 0 ]; then p=$(cat); how=stdin; else p=$1; how=argument; fi; say "$how ${#p}"; end`
	for name, c := range map[string]struct {
		prompt  string
		replace []string
		want    string
	}{
		"an argument":                  {"short", nil, "argument 5"},
		"one that looks like a flag":   {"--help", nil, "stdin 6"},
		"too long for the kernel":      {long, nil, "stdin 200000"},
		"by standard input":            {"short", []string{"{deliver: argument, overflow: stdin}", "{deliver: stdin}"}, "stdin 5"},
		"several lines and characters": {"ä\nö 'x' \"y\" $HOME `z`", nil, "argument 21"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := playIn(t.Context(), t, scripted(t, report, c.replace...), agent.Turn{Prompt: c.prompt}, agent.Options{Env: []string{"LC_ALL=C.UTF-8"}})
			require.Nil(t, out.Failure)
			want := c.want
			if name == "several lines and characters" { // dash counts bytes, other shells characters
				assert.Contains(t, []string{"argument 21", "argument 23"}, out.Text)
				return
			}
			assert.Equal(t, want, out.Text)
		})
	}
	t.Run("by file", func(t *testing.T) {
		a := scripted(t, `say "$(wc -c <"$2" | tr -d ' ') $1 $(ls -l "$2" | cut -c1-10)"; end`, "{deliver: argument, overflow: stdin}", "{deliver: file, file_flag: --file}")
		out, _ := playIn(t.Context(), t, a, agent.Turn{Prompt: long}, agent.Options{})
		assert.Equal(t, "200000 --file -rw-------", out.Text)
	})
	t.Run("text that only resembles the file's place", func(t *testing.T) {
		for _, flag := range []string{"--file", "--file="} {
			a := scripted(t, `say "$2"; end`, "{deliver: argument, overflow: stdin}", `{deliver: file, file_flag: "`+flag+`"}`)
			out, _ := playIn(t.Context(), t, a, agent.Turn{Prompt: "x", Model: "a/{path}"}, agent.Options{})
			assert.Equal(t, "a/{path}", out.Text)
		}
	})
	t.Run("an agent that does not read it", func(t *testing.T) {
		out, _ := playIn(t.Context(), t, scripted(t, `end`, "{deliver: argument, overflow: stdin}", "{deliver: stdin}"), agent.Turn{Prompt: long}, agent.Options{})
		assert.Nil(t, out.Failure)
	})
}

// Some agents start a new session if they do not know the one to continue.
func TestAnotherSessionIsReported(t *testing.T) {
	a := scripted(t, `echo '{"t":"session","id":"s-2"}'; end`)
	out, _ := playIn(t.Context(), t, a, agent.Turn{Prompt: "x", SessionID: "s-1"}, agent.Options{})
	assert.Equal(t, []string{"the agent started session s-2 instead of continuing s-1"}, out.Problems)
}

func TestEnvironmentAndDirectory(t *testing.T) {
	dir := t.TempDir()
	a := scripted(t, `say "$(pwd) $FROM_ADAPTER $FROM_CALLER"; end`, "linger_ms: 200", "env: {FROM_ADAPTER: a, FROM_CALLER: b}")
	out, _ := play(t, a, agent.Options{Dir: dir, Env: []string{"FROM_CALLER=c"}})
	assert.Equal(t, dir+" a c", out.Text)
}

func TestAgentOnATerminal(t *testing.T) {
	script := `[ -t 1 ] && [ -t 2 ] && say terminal; printf '\033[31m'; echo '{"t":"piece","x":"a"}'; printf '\033[0m'; echo '{"t":"piece","x":"b"}' >&2; end; printf '\033[?25h'`
	out, events := play(t, scripted(t, script, "transport: pipe", "transport: pty", ", overflow: stdin", ""), agent.Options{})
	assert.Nil(t, out.Failure)
	assert.Equal(t, []event.Event{{Type: event.Text, Text: "terminal"}, {Type: event.Text, Text: "ab"}, {Type: event.Finished}}, events)

	begin := time.Now()
	out, _ = play(t, scripted(t, `say begun; trap '' INT TERM HUP; while :; do sleep 1; done`, "transport: pipe", "transport: pty", ", overflow: stdin", ""),
		agent.Options{IdleTimeout: time.Second})
	assert.Equal(t, event.Timeout, kind(out))
	assert.Equal(t, "begun", out.Text)
	assert.Less(t, time.Since(begin), 20*time.Second)
}

func TestCopiesOfTheStreams(t *testing.T) {
	var out, stderr bytes.Buffer
	play(t, scripted(t, `say a; echo warn >&2; echo no json; end`), agent.Options{Output: &out, Stderr: &stderr})
	assert.Equal(t, "{\"t\":\"say\",\"x\":\"a\"}\nno json\n{\"t\":\"end\"}\n", out.String())
	assert.Equal(t, "warn\n", stderr.String())
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAFailingCopyIsReportedOnce(t *testing.T) {
	out, _ := play(t, scripted(t, `for i in 1 2 3; do say $i; sleep 0.02; done; end`), agent.Options{Output: full{}})
	assert.Nil(t, out.Failure)
	assert.Equal(t, []string{"copying the agent's output: disk full"}, out.Problems)
}

func TestTurnsThatCannotStart(t *testing.T) {
	a := scripted(t, "end")
	_, err := agent.Run(t.Context(), a, agent.Turn{Prompt: "x"}, agent.Options{Executable: "no-such-agent"})
	assert.ErrorAs(t, err, new(*launch.MissingError))
	_, err = agent.Run(t.Context(), a, agent.Turn{Prompt: "x"}, agent.Options{Dir: "/no/such/dir"})
	assert.ErrorAs(t, err, new(*launch.DirError))
	_, err = agent.Run(t.Context(), a, agent.Turn{Prompt: "x", MaxTurns: 3}, agent.Options{})
	assert.EqualError(t, err, "scripted: this agent has no max turns (agent.options.max_turns)")
}

func TestManyTurnsLeaveNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc is looked at")
	}
	a := scripted(t, `say x; end; sleep 1000 & exit 0`, "{deliver: argument, overflow: stdin}", "{deliver: file}")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	count := func(dir string) int {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		return len(list)
	}
	play(t, a, agent.Options{})
	descriptors := count("/proc/self/fd")
	for range testkit.Times(t, 5, 20) {
		play(t, a, agent.Options{})
	}
	assert.Equal(t, descriptors, count("/proc/self/fd"), "descriptors")
	assert.Zero(t, count(tmp), "files")
}
