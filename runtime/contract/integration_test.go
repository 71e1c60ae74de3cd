package contract

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

// smallBash returns testdata/bash.yaml with replacements: old, new, old, new …
func smallBash(t *testing.T, replacements ...string) *schema.Adapter {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	data, err := os.ReadFile("testdata/bash.yaml")
	require.NoError(t, err)
	text := string(data)
	for i := 0; i < len(replacements); i += 2 {
		require.Contains(t, text, replacements[i])
		text = strings.ReplaceAll(text, replacements[i], replacements[i+1])
	}
	a, diagnostics := schema.Parse("testdata/bash.yaml", []byte(text), schema.Options{})
	require.NotNil(t, a, "%v", diagnostics)
	return a
}

// A real program passes all levels in seconds, and nothing is left in this process.
func TestRealProgram(t *testing.T) {
	report := Run(t.Context(), smallBash(t), Options{})
	for _, r := range report.Tests {
		assert.Equal(t, Passed, r.Status, "%s: %s %+v", r.Name, r.Reason, r.Failure)
		t.Logf("%-40s %-8s %s %v", r.Name, r.Status, rounded(r.Duration), r.Notes)
	}
	assert.Equal(t, 4, report.Level, report.LevelNote)
	assert.Regexp(t, `^\d+\.\d+$`, report.InterpreterVersion)
	assert.Less(t, report.Duration, testkit.Patience(15*time.Second))
}

// Each possible mistake in an adapter is found by the test for it, with a message that names the
// cause. TestEachDefectIsFound has a defect for each test, in memory.
func TestBrokenAdapters(t *testing.T) {
	t.Parallel()
	for _, c := range testkit.Sample(t, 6, []struct {
		broken, test, message string
		replacements          []string
	}{
		{"no nonce", "forged OSC 633", "a forged marker was accepted", []string{"    nonce: required\n", "", ";{nonce}", "", ";%s\\a' \"$?\" {nonce}", "\\a' \"$?\"", ";%s\\a' \"$PWD\" {nonce}", "\\a' \"$PWD\""}},
		{"exit code is always 0", "exit codes as declared", "samples.error ended with exit code 0", []string{`"$?" {nonce}`, "0 {nonce}"}},
		{"no exit code", "exit codes as declared", "no exit code was reported", []string{`633;D;%s;%s\a' "$?" {nonce}`, `633;D;;%s\a' {nonce}`}},
		{"the directory is not reported", "cwd as declared", "cwd: want", []string{"633;P;Cwd=", "633;P;Other="}},
		{"nothing is printed", "prints the given text", "the output does not contain", []string{`print: "printf '%s\\n' '{text}'"`, `print: ": '{text}'"`}},
		{"an interrupt without effect", "timeout, interrupt, usable", "the interrupt did not bring a prompt back", []string{`interrupt: "\x03"`, `interrupt: "\x01"`}},
		{"busy that ends", "timeout, interrupt, usable", "samples.busy ended", []string{`busy: "while :; do :; done"`, `busy: "true"`}},
		{"no way for a long line", "one line of 64 KB in", "input not sent", []string{"  tempfile: {prefix: .ripple-exec-, extension: .sh, invocation_template: \". '{path}'\"}\n", "", "multiline_delivery: tempfile", "multiline_delivery: direct"}},
		{"the way of a long line fails", "one line of 64 KB in", "it counts as an error: exit code 1", []string{`invocation_template: ". '{path}'"`, `invocation_template: ". '{path}'; false"`}},
		{"the way of a long line prints more", "one line of 64 KB in", "the output of samples.print differs from its earlier output", []string{`invocation_template: ". '{path}'"`, `invocation_template: ". '{path}'; echo oops"`}},
		{"the way of a long line is another process", "one line of 64 KB in", "the variable was set to 6464 (set_var in a long line), but its value was not printed", []string{`invocation_template: ". '{path}'"`, `invocation_template: "bash '{path}'"`}},
		{"the continuation prompt is another one", "half a block", `"f() {", the first line of samples.multiline, was sent alone: the end of the command was not recognized`, []string{"continuation: '^> $'", "continuation: '^more> $'"}},
		{"half a block is not withdrawn", "half a block", "cancels the input by prompt.continuation_escape, \": no\\n\"", []string{"continuation: '^> $'", "continuation: '^> $'\n  continuation_escape: \": no\\n\""}},
		{"the block loses its last line", "a multi-line block", "should print 4101", []string{`invocation_template: ". '{path}'"`, `invocation_template: "sed '$d' '{path}' | bash"`}},
		{"variables do not persist", "state persists", "its value was not printed", []string{`set_var: "v={n}"`, `set_var: "(v={n})"`}},
		{"a mode is not left", "modes are reached and left", `exit command "leave" did not leave mode "sub"`, []string{"leave() { PS1=${PS1/sub/small}; }", "leave() { :; }"}},
		{"a mode is not reached", "modes are reached and left", `mode "sub" was not reached in a new session`, []string{"enter() { PS1=${PS1/small/sub}; }", "enter() { :; }"}},
		{"no test enters a mode", "modes are reached and left", `mode "sub" was not reached: after samples.error the mode is "main", and no test has expect_mode: sub`, []string{"primary: '^sub> $'", "primary: '^sub> $', auto_enter: true", "expect_mode: sub", "expect_mode: main", "eval: enter", "eval: 'true'"}},
		{"a line is not read", "reading a line is reported", "waiting_for_input", []string{`read_line: "read -r -p 'name? ' name; echo \"hello $name\""`, `read_line: "echo no"`}},
		{"a secret is shown", "reading a secret is reported", "want waiting_for_secret, got waiting_for_input", []string{"read -r -s", "read -r"}},
		{"tabs become blanks", "characters arrive as printed", "differs from byte", []string{"x=${x:2}; done", "x=${x:2}; done | tr '\\\\t' ' '"}},
		{"a line is lost", "1 MB of output", "line 100000 must be 100000, not 100001", []string{`print_lines: "seq {n}"`, `print_lines: "seq {n} | sed 100000d"`}},
		{"less than 1 MB", "1 MB of output", "938895 bytes arrived", []string{`print_lines: "seq {n}"`, `print_lines: "seq {n} | head -n 150000"`}},
		{"a file is left", "close leaves nothing behind", "a file is left after close", []string{"    set +H\n", "    set +H; : >\"$TMPDIR/.ripple-left\"\n"}},
		{"it does not start", "starts and ends", "the program did not start", []string{"    set +H\n", "    exit 3\n"}},
	}) {
		t.Run(c.broken, func(t *testing.T) {
			t.Parallel()
			o := Options{Filter: exactly(c.test)}
			if c.test != "1 MB of output" { // the others hang, or take no time
				o.Timeout = testkit.Patience(2 * time.Second)
			}
			report := Run(t.Context(), smallBash(t, c.replacements...), o)
			require.Len(t, report.Tests, 1)
			result := report.Tests[0]
			require.NotNil(t, result.Failure, "%s: %s", result.Status, result.Reason)
			assert.Contains(t, result.Failure.Message, c.message)
			assert.NotEmpty(t, result.Failure.Step)
		})
	}
}
