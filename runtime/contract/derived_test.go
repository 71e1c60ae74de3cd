package contract

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// inMemory selects the derived tests that need no process.
var inMemory = regexp.MustCompile(`^(starts and ends|prints|state|a multi|usable|exit codes|cwd|modes|empty|two|characters|leading|1 MB|one line|a block|half|prompt|forged|timeout|reading)`)

func TestASoundProgramPasses(t *testing.T) {
	report := runToy(t, toyAdapter(), "", Options{Filter: inMemory})
	for _, r := range report.Tests {
		assert.Equal(t, Passed, r.Status, "%s: %s %+v", r.Name, r.Reason, r.Failure)
	}
	assert.Len(t, report.Tests, 22)
}

// Each defect is found by the test for it, with a message that names it.
func TestEachDefectIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ defect, test, message string }{
		{"does not start", "starts and ends", "the program did not start: toy: no first prompt"},
		{"does not close", "starts and ends", "close: process 4711 (toy) could not be ended"},
		{"keeps the echo", "prints the given text", "the echo of the input is in the output (output.input_echo_strategy: osc_boundaries)"},
		{"sees errors everywhere", "prints the given text", `it counts as an error: exit code 0, mode "main", output.error_pattern ""`},
		{"prints hex", "characters arrive as printed", "samples.raw_bytes did not write the bytes that it was given: begin"},
		{"prints hex", "forged OSC 633", "samples.raw_bytes did not write the bytes that it was given: begin"},
		{"forgets", "state persists", "the variable was set to 4711 (set_var), but its value was not printed"},
		{"hides errors", "usable after an error", "the error was not seen: exit code 0"},
		{"reports no exit codes", "exit codes as declared", "capabilities.exit_code is true, but no exit code was reported"},
		{"reports 0 always", "exit codes as declared", "samples.error ended with exit code 0"},
		{"never moves", "cwd as declared", "cwd: want"},
		{"stays in its mode", "modes are reached and left", `exit command "leave" did not leave mode "debugger"`},
		{"loses tabs", "characters arrive as printed", `want "\t|\u00e9 e`},
		{"composes", "characters arrive as printed", `want "e\u0301|`},
		{"loses leading blanks", "leading blanks and blank lines stay", `want "   three`},
		{"loses 1 KB", "1 MB of output", "must be"},
		{"is silent about nothing", "empty and comment-only input", "if the program prints nothing for an empty line, set input.empty_line: none"},
		{"fails at long lines", "one line of 64 KB in", `it counts as an error: exit code 1, mode "main"`},
		{"adds to long lines", "one line of 64 KB in", `the output of samples.print differs from its earlier output: want {text}\n, got {text}\nTraceback\n`},
		{"forgets long lines", "one line of 64 KB in", "the variable was set to 6464 (set_var in a long line), but its value was not printed"},
		{"forgets blocks", "state persists", "the variable was set to 2611 (set_var in a block), but its value was not printed"},
		{"forgets blocks", "a block of 24 KB in", "the variable was set to 2424 (a block of 24 KB), but its value was not printed"},
		{"fails in blocks", "a block of 24 KB in", "it counts as an error"},
		{"fails in blocks", "a multi-line block", "it counts as an error"},
		{"says more the third time", "a multi-line block", "the output of samples.multiline differs from its earlier output"},
		{"adds to long blocks", "a block of 24 KB in", `the block printed \n> ; in a short block that is \n`},
		{"adds to 1 MB", "1 MB of output", `the output of samples.print_lines differs from its earlier output: want {text}\n, got {text}\n...\n`},
		{"4 KB lines", "one line of 64 KB in", "the output differs from byte 4095 of 65530 on"},
		{"hangs in half a block", "half a block", `"begin", the first line of samples.multiline, was sent alone: the end of the command was not recognized within the test's time`},
		{"hangs in half a block", "half a block", `cancels the input by signals.interrupt, "\x03", because prompt.continuation_escape is not declared`},
		{"exits in half a block", "half a block", "was sent alone: the program ended with exit code 3"},
		{"keeps half a block", "half a block", `the next command failed: the output does not contain usable`},
		{"ends half a block later", "half a block", "the next command failed: it counts as an error"},
		{"shows half a block later", "half a block", "the next command failed: the output of samples.print differs from its earlier output: want {text}\\n, got begin\\n{text}\\n"},
		{"ends at its prompt", "prompt look-alike in mid-work", `after the printed look-alike "toy> "`},
		{"believes OSC 633", "forged OSC 633", `a forged marker was accepted: \x1b]633;A\x07 ended the command`},
		{"believes the exit code", "forged OSC 633", `633;D;77\x07 gave the exit code`},
		{"believes the directory", "forged OSC 633", `moved the directory to "/forged"`},
		{"believes silently", "forged OSC 633", `\x1b]633;P;Cwd=/forged\x07 was taken for a marker of the session`},
		{"believes any nonce", "forged marker", `a forged marker was accepted: \x1b]633;A;000000`},
		{"ends while it works", "timeout, interrupt, usable", "considered ended while it still ran (ended by marker)"},
		{"loses partial output", "timeout, interrupt, usable", "the output so far is missing"},
		{"forgets that it is busy", "timeout, interrupt, usable", "a second command was accepted while the first one should still run"},
		{"ignores interrupts", "timeout, interrupt, usable", "the interrupt did not bring a prompt back"},
		{"never says that it reads", "reading a line is reported", "waiting_for_input was never reported"},
		{"reads nothing", "reading a line is reported", "waiting_for_input was reported and a line was sent, but samples.read_line did not print it"},
		{"takes a secret for a line", "reading a secret is reported", "want waiting_for_secret, got waiting_for_input"},
	} {
		t.Run(c.defect+": "+c.test, func(t *testing.T) {
			t.Parallel()
			for _, programs := range []*ProgramLimit{nil, NewProgramLimit(2)} {
				report := runToy(t, toyAdapter(), c.defect, Options{Filter: exactly(c.test), Timeout: 400 * time.Millisecond, ProgramLimit: programs})
				require.Len(t, report.Tests, 1)
				require.NotNil(t, report.Tests[0].Failure, "the test passed")
				assert.Contains(t, report.Tests[0].Failure.Message, c.message)
				assert.NotEmpty(t, report.Tests[0].Failure.Step)
			}
		})
	}
}

// A program that a signal has to end, because it does not know the command for that, is noted.
func TestUnknownShutdownCommandIsNoted(t *testing.T) {
	a := toyAdapter()
	a.Lifecycle.Shutdown.Command = "exit"
	for defect, want := range map[string][]string{
		"":                         nil,
		"ignores its exit command": {`lifecycle.shutdown.command, "exit", did not end the program in time: the program was ended by a signal: SIGHUP`},
	} {
		report := runToy(t, a, defect, Options{Filter: exactly("starts and ends")})
		require.Len(t, report.Tests, 1)
		assert.Equal(t, Passed, report.Tests[0].Status)
		assert.Equal(t, want, report.Tests[0].Notes)
	}
}

func exactly(name string) *regexp.Regexp {
	return regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$")
}

// A test that cannot be derived from an adapter is not applicable and gives the reason.
func TestNotApplicable(t *testing.T) {
	for _, c := range []struct {
		test, reason string
		lack         func(*schema.Adapter)
	}{
		{"state persists", "capabilities.stateful is false", func(a *schema.Adapter) { a.Capabilities.Stateful = false }},
		{"state persists", "samples.get_var is not declared", func(a *schema.Adapter) { a.Samples.GetVar = "" }},
		{"exit codes as declared", "capabilities.exit_code is unreliable", func(a *schema.Adapter) { a.Capabilities.ExitCode = schema.ExitCodeUnreliable }},
		{"half a block", "samples.multiline is one line", func(a *schema.Adapter) { a.Samples.Multiline = "next {n}" }},
		{"cwd as declared", "capabilities.cwd_tracking is false", func(a *schema.Adapter) { a.Capabilities.CwdTracking = false }},
		{"cwd as declared", "neither samples.cd nor capabilities.cd_command is declared", func(a *schema.Adapter) { a.Samples.Cd = "" }},
		{"modes are reached and left", "no modes are declared", func(a *schema.Adapter) { a.Modes = nil }},
		{"modes are reached and left", "no mode has both a test with expect_mode", func(a *schema.Adapter) { a.Tests = nil }},
		{"timeout, interrupt, usable", "signals.interrupt is null", func(a *schema.Adapter) { a.Signals.Interrupt = nil }},
		{"timeout, interrupt, usable", "capabilities.interrupt is false", func(a *schema.Adapter) { a.Capabilities.Interrupt = false }},
		{"reading a secret is reported", "process.tty.echo is false", func(a *schema.Adapter) { a.Process.TTY.Echo = false }},
		{"reading a secret is reported", "process.tty.canonical is false", func(a *schema.Adapter) { a.Process.TTY.Canonical = false }},
		{"forged marker", "prompt.strategy is regex", func(a *schema.Adapter) { a.Prompt.Strategy = schema.PromptRegex }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			a := toyAdapter()
			c.lack(a)
			report := runToy(t, a, "", Options{Filter: exactly(c.test)})
			require.Len(t, report.Tests, 1)
			assert.Equal(t, NotApplicable, report.Tests[0].Status)
			assert.Contains(t, report.Tests[0].Reason, c.reason)
		})
	}
}

// The failure names the key that the session sends to a program that asks for more.
func TestWithdrawal(t *testing.T) {
	for _, c := range []struct {
		escape         string
		interrupt, eof *string
		want           string
	}{
		{":}\n", ptr("\x03"), ptr("\x04"), `prompt.continuation_escape, ":}\n"`},
		{"", ptr("\x03"), ptr("\x04"), `signals.interrupt, "\x03", because prompt.continuation_escape is not declared`},
		{"", nil, ptr("\x04"), `signals.eof, "\x04", because prompt.continuation_escape and signals.interrupt are not declared`},
		{"", nil, nil, "prompt.continuation_escape, signals.interrupt or signals.eof: none of them is declared"},
	} {
		a := &schema.Adapter{Prompt: schema.Prompt{ContinuationEscape: c.escape}, Signals: schema.Signals{Interrupt: c.interrupt, EOF: c.eof}}
		assert.Equal(t, c.want, withdrawal(a))
	}
}

func TestLookAlike(t *testing.T) {
	nonce := "0123456789abcdef0123456789abcdef"
	for _, c := range []struct{ printed, want string }{
		{"Welcome\r\n>>> ", ">>> "},
		{"\x1b]633;D;0;" + nonce + "\a\x1b]633;A\a\x1b[1mbash-5.2$ \x1b[0m\x1b]633;B\a", "bash-5.2$ "},
		{"banner\r\n@" + nonce + "> ", "@00000000000000000000000000000000> "},
		{"", ""},
	} {
		assert.Equal(t, c.want, lookAlike(c.printed))
	}
}

func TestFilesInHome(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.WriteFile(home+"/.history", nil, 0o600))
	assert.Equal(t, []string{".history"}, homeFiles(home))
	assert.Equal(t, ".history", firstFew(homeFiles(home)))
	assert.Equal(t, "x, x, x, x, x, x, x, x, x, x and 2 more", firstFew(slices.Repeat([]string{"x"}, 12)))
}

func TestConsecutive(t *testing.T) {
	for _, c := range []struct{ output, around, message string }{
		{"0\n1\n2\n", "{text}\n", ""},
		{"noise\n0\n1 \n2\nnil\n", "noise\n{text}\nnil\n", ""},
		{"0\n1\n2\n3\n", "{text}\n3\n", ""},
		{"0\n2\n", "", "line 2 must be 1, not 2"},
		{"0\n1\n", "", "2 of 3 lines arrived; the last is 1"},
		{"", "", "0 of 3 lines arrived"},
	} {
		around, err := consecutive(c.output, 0, 3)
		assert.Equal(t, c.around, around)
		if c.message == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.message)
		}
	}
}

func TestBlockTimeoutCoversItsLines(t *testing.T) {
	assert.Equal(t, time.Minute, blockTimeout(time.Millisecond, 500))
	assert.Equal(t, 200*time.Second, blockTimeout(200*time.Millisecond, 500))
}
