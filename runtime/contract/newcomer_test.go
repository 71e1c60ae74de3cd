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
)

// Typical mistakes of new authors in a working file. Each one must be reported with its cause: by
// the loader, by lint, or by the report of a test.
func TestTypicalMistakes(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const (
		load = "the file does not load"
		lint = "lint warns"
	)
	good, err := os.ReadFile("testdata/newcomer.yaml")
	require.NoError(t, err)
	for _, c := range []struct {
		mistake  string
		old, new string
		found    string // load, lint, or the test that fails
		message  string
	}{
		{"none", "", "", "", ""},
		{"a tab as indentation", "  executable: python3", "\texecutable: python3", load, "this line is indented with a tab"},
		{"a misspelt key", "  executable:", "  executeable:", load, `unknown key "executeable" in process (did you mean "executable"?)`},
		{"a missing section", "prompt:\n  strategy: regex\n  primary: '^>>> $'\n  continuation: '^\\.\\.\\. $'\n", "", load, `the adapter needs the key "prompt"`},
		{"the next schema version", "schema: 1", "schema: 2", load, "schema version 2 is not supported"},
		{"a pattern in double quotes", "'^\\.\\.\\. $'", `"^\.\.\. $"`, load, "use single quotes for a pattern"},
		{"an invalid pattern", "'^>>> $'", "'^[>>> $'", load, "prompt.primary: bad pattern: unterminated [] set"},
		{"a quote that is not closed", `'"{shell_path}" -q'`, `'"{shell_path} -q'`, load, "quote \" is never closed"},
		{"a misspelt placeholder", "{shell_path}", "{shellpath}", load, `unknown placeholder {shellpath} (did you mean "shell_path"?)`},
		{"a strategy without its required key", "init:\n  strategy: regex", "init:\n  strategy: marker", load, "init.strategy: marker needs init.marker.primary"},
		{"an interrupt that is and is not", `interrupt: "\x03"`, "interrupt: null", load, "capabilities.interrupt: true contradicts signals.interrupt: null"},
		{"bytes in single quotes", `line_ending: "\n"`, `line_ending: '\n'`, lint, `\n is sent as 2 characters`},
		{"no line ending", `line_ending: "\n"`, `line_ending: ""`, lint, "without a line ending no line is ever submitted"},
		{"a pattern without anchors", "'^>>> $'", "'>>> '", lint, "not anchored at the start of the line"},
		{"a pattern for anything", "'^>>> $'", "'^.*[:>] ?$'", lint, "matches ordinary output"},
		{"a sample without a placeholder", `'print("{text}")'`, `'print("hello")'`, lint, "samples.print has no {text}"},
		{"a test that asserts nothing", ", expect: '^5$'", "", lint, `test "arithmetic" expects nothing`},
		{"a script without its last line break", "init:\n  strategy: regex", "init:\n  strategy: regex\n  delivery: pty_inject\n  script: 'x = 5'", lint, "does not end with a line break"},
		{"a wait instead of evidence", "strip_ansi: true", "strip_ansi: true\n  post_prompt_settle_ms: 500", lint, "waits for a fixed time"},
		{"a program that does not exist", "executable: python3", "executable: pyton3", "missing", "tried pyton3 (not in PATH)"},
		{"the prompt of another program", "'^>>> $'", "'^> $'", "probe", `its last line is ">>> "`},
		{"the blank after the prompt", "'^>>> $'", "'^>>>$'", "probe", `its last line is ">>> "`},
		{"a flag that it does not have", "-q", "--quit", "probe", "the program ended with exit code 2"},
		{"a program that does not stay", "-q", "-c 1", "probe", "the program ended with exit code 0"},
		{"a line ending that it does not take", `line_ending: "\n"`, `line_ending: "\t"`, "probe", "the program waits for input"},
		{"a file of the current directory", "executable: python3", "executable: python3\n  args: [testdata/newcomer.yaml]", "arithmetic", "tests run in an empty directory, without the file testdata/newcomer.yaml"},
		{"an error sample without an error", "error: '1/0'", "error: '1/1'", "usable after an error", "the error was not seen"},
		{"a value that it does not print", "'^5$'", "'^6$'", "arithmetic", "expect: the output does not match"},
		{"an exit code that it does not report", "stateful: true", "stateful: true\n  exit_code: true", "exit codes as declared", "no exit code was reported"},
		{"a busy that ends", "time.sleep(1000)", "time.sleep(0)", "timeout, interrupt, usable", "samples.busy ended"},
		{"a block that never ends", "  busy: 'import time; time.sleep(1000)'", "  busy: 'while True: pass'", "timeout, interrupt, usable", "the program asked for another line"},
		{"a print that does not", `'print("{text}")'`, `'"{text}"[:0]'`, "starts and ends", "the output does not contain"},
	} {
		t.Run(c.mistake, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(good), c.old)
			text := []byte(strings.Replace(string(good), c.old, c.new, 1))
			var said []string
			for _, d := range schema.Lint("newcomer.yaml", text, schema.Options{}) {
				said = append(said, d.Message)
			}
			a, diagnostics := schema.Parse("newcomer.yaml", text, schema.Options{})
			switch c.found {
			case load:
				require.NotEmpty(t, diagnostics)
				assert.Contains(t, strings.Join(said, "\n"), c.message)
				return
			case lint:
				require.Empty(t, diagnostics)
				assert.Contains(t, strings.Join(said, "\n"), c.message)
				return
			}
			require.Empty(t, said, "nothing is wrong with the file as such")
			report := Run(t.Context(), a, Options{Filter: exactly(c.found), Timeout: testkit.Patience(3 * time.Second)})
			if c.found == "missing" {
				assert.Contains(t, report.Skipped, c.message)
				return
			}
			if c.found == "" {
				report = Run(t.Context(), a, Options{NoDerived: true})
				assert.True(t, report.OK(), "%+v", report.Tests)
				return
			}
			require.Len(t, report.Tests, 1)
			require.NotNil(t, report.Tests[0].Failure, "%s: %s", report.Tests[0].Status, report.Tests[0].Reason)
			assert.Contains(t, report.Tests[0].Failure.Message, c.message)
		})
	}
}
