//go:build linux

package torture

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	ossignal "os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// Allowed records of a command that prints "a" and has exit code 3.
func TestJudge(t *testing.T) {
	const (
		known   = `{output: "a\n", exit_code: 3}`
		unknown = `{output: "a\n", exit_code: 3, unknown: the prompt is gone}`
	)
	tests := []struct{ name, expect, record, complaint string }{
		{"the truth", known, `{"output":"a\n","exit_code":3,"completed_by":"marker"}`, ""},
		{"a wrong exit code", known, `{"output":"a\n","exit_code":0,"completed_by":"marker"}`, "exit code should be 3"},
		{"no exit code", known, `{"output":"a\n","exit_code":null,"completed_by":"marker"}`, "exit code should be 3"},
		{"another's output", known, `{"output":"b\n","exit_code":3,"completed_by":"marker"}`, `output should be "a\n"`},
		{"no output", known, `{"output":"","exit_code":3,"completed_by":"marker"}`, `output should be "a\n"`},
		{"a deadline", known, `{"output":"a\n","exit_code":3,"completed_by":"timeout"}`, "completed by should be marker or prompt"},
		{"a failure", known, `{"output":"a\n","exit_code":3,"completed_by":"marker","failure":"x"}`, "nothing should have failed"},
		{"an expected failure", `{output: "", exit_code: null, failure: gone, completed_by: exit}`, `{"completed_by":"exit"}`, "failure should match gone"},
		{"a pattern", `{match: "^b", exit_code: 3}`, `{"output":"a\n","exit_code":3,"completed_by":"marker"}`, "output should match ^b"},
		{"unknown, with a reason", unknown, `{"exit_code":null,"failure":"gone","completed_by":"idle"}`, ""},
		{"unknown, but correct", unknown, `{"output":"a\n","exit_code":3,"completed_by":"marker"}`, ""},
		{"unknown, without a reason", unknown, `{"output":"a\n","exit_code":null,"completed_by":"marker"}`, "exit code should be 3"},
		{"a redirected prompt, with the output", unknown, `{"output":"a\n","exit_code":null,"prompt_elsewhere":true,"completed_by":"idle"}`, ""},
		{"a redirected prompt, without output", unknown, `{"output":"","exit_code":null,"prompt_elsewhere":true,"completed_by":"idle"}`, `output should be "a\n"`},
		{"an unexpected redirected prompt", known, `{"output":"a\n","exit_code":null,"prompt_elsewhere":true,"completed_by":"idle"}`, "exit code should be 3"},
		{"unknown, but wrong", unknown, `{"output":"a\n","exit_code":0,"failure":"gone","completed_by":"marker"}`, "exit code should be 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e Expect
			require.NoError(t, yaml.Unmarshal([]byte(tt.expect), &e))
			require.NoError(t, e.check())
			var r record
			require.NoError(t, json.Unmarshal([]byte(tt.record), &r))
			wrong := e.judge(program{ExitCodes: true}, r, false)
			if tt.complaint == "" {
				assert.Empty(t, wrong)
				return
			}
			assert.Contains(t, strings.Join(wrong, "; "), tt.complaint)
		})
	}
}

func TestJudgeWithoutExitCodes(t *testing.T) {
	var e Expect
	require.NoError(t, yaml.Unmarshal([]byte(`{output: "a\n", exit_code: 1}`), &e))
	r := record{Output: "a\n", CompletedBy: "prompt"}
	assert.Equal(t, []string{"error should be true"}, e.judge(program{}, r, false))
	r.Error = true
	assert.Empty(t, e.judge(program{}, r, false))
	code := 1
	r.ExitCode = &code
	assert.Equal(t, []string{"exit code should be null: the program reports none"}, e.judge(program{}, r, false))
}

func TestWriter(t *testing.T) {
	w := &writer{Line: `w-(\d+)`, Lines: 3}
	tests := []struct{ name, outOfBand, output, problem string }{
		{"all", "w-1\n", "a\nw-2\nw-3\nb\n", ""},
		{"lost", "w-1\n", "w-3\n", "of the 3 lines of the writer 1 are lost, 0 came twice, 0 are out of order"},
		{"twice", "w-1\nw-2\n", "w-2\nw-3\n", "of the 3 lines of the writer 0 are lost, 1 came twice, 0 are out of order"},
		{"turned", "w-2\n", "w-1\nw-3\n", "of the 3 lines of the writer 0 are lost, 0 came twice, 1 are out of order"},
		{"torn", "w-", "1\nw-2\nw-33\n", `the writer never wrote "w-33"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.problem, w.judge([]record{{OutOfBand: tt.outOfBand, Output: tt.output}}))
		})
	}
	assert.Equal(t, "a\nb\n", w.without("a\nw-2\nw-3\nb\n"))
}

// A case without expectations is refused.
func TestCasesAreChecked(t *testing.T) {
	p := programs{Programs: []program{{Name: "sh"}}}
	tests := []struct{ name, text, problem string }{
		{"whole", `{because: b, steps: [{send: x, output: "", exit_code: 0}]}`, ""},
		{"no reason", `{steps: [{send: x, output: "", exit_code: 0}]}`, "it needs because and steps"},
		{"no output", `{because: b, steps: [{send: x, exit_code: 0}]}`, "step 1: it needs output or match"},
		{"no exit code", `{because: b, steps: [{send: x, output: ""}]}`, "step 1: it needs exit_code, a number or null"},
		{"no such program", `{because: b, steps: [{send: {ksh: x}, output: "", exit_code: 0}]}`, `"ksh" is neither a program nor a group of programs.yaml`},
		{"no such program in CI", `{because: b, ci: [ksh], steps: [{send: x, output: "", exit_code: 0}]}`, `"ksh" is neither a program nor a group of programs.yaml`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c tortureCase
			require.NoError(t, yaml.Unmarshal([]byte(tt.text), &c))
			err := c.check(p)
			if tt.problem == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, tt.problem)
		})
	}
}

// The cases load, each program of CI has a spelling in the cases that list it, and each class has a
// case in CI.
func TestCasesCoverEachProgramAndClass(t *testing.T) {
	p, classes, err := load()
	require.NoError(t, err)
	for _, c := range classes {
		inCI := 0
		names := map[string]bool{}
		for _, one := range c.Cases {
			assert.False(t, names[one.Name], "%s: %s occurs twice", c.name, one.Name)
			names[one.Name] = true
			applies := 0
			for _, in := range p.Programs {
				if one.applies(p, in) {
					applies++
					if one.inCI(p, in) {
						inCI++
					}
				}
			}
			assert.Positive(t, applies, "%s: %s: it has no spelling for any program", c.name, one.Name)
			for _, name := range one.CI {
				if p.Groups[name] == nil {
					assert.True(t, one.applies(p, p.find(name)), "%s: %s: it has no spelling for %s", c.name, one.Name, name)
				}
			}
		}
		assert.Positive(t, inCI, "no case of %s is in CI", c.name)
	}
}

const standIn = "RIPPLE_TORTURE_STANDIN"

// TestMain also runs the stand-in for a ripple that is one command late, or that stops in the
// middle.
func TestMain(m *testing.M) {
	if lies := os.Getenv(standIn); lies != "" {
		answer(lies)
		return
	}
	if ossignal.Ignored(syscall.SIGHUP) { // under nohup: programs started here must not inherit that
		ossignal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

func answer(lies string) {
	text, err := io.ReadAll(io.LimitReader(os.Stdin, int64(len("echo a\x00"))))
	if err != nil || string(text) != "echo a\x00" {
		os.Exit(2)
	}
	switch lies {
	case "late":
		fmt.Println(`{"output":"","exit_code":0,"completed_by":"marker"}`)
	case "gone":
		os.Exit(1)
	case "littering":
		fmt.Println(`{"output":"a\n","exit_code":0,"completed_by":"marker"}`)
		if _, err := os.MkdirTemp("", "left-"); err != nil {
			os.Exit(2)
		}
	case "chatty":
		fmt.Println(`{"output":"a\n","exit_code":0,"completed_by":"marker"}`)
		fmt.Println(`{"output":"b\n","exit_code":0,"completed_by":"marker"}`)
	case "honest":
		fmt.Println(`{"output":"a\n","exit_code":0,"completed_by":"marker"}`)
	}
}

// The runner finds the errors that it is made to find.
func TestDriveFindsLies(t *testing.T) {
	var c tortureCase
	require.NoError(t, yaml.Unmarshal([]byte(`{because: b, steps: [{send: echo a, output: "a\n", exit_code: 0}]}`), &c))
	self, err := os.Executable()
	require.NoError(t, err)
	p := programs{Programs: []program{{Name: "sh", ExitCodes: true}}}
	require.NoError(t, c.check(p))
	for lies, complaint := range map[string]string{
		"late": `output should be "a\n"`, "gone": "no record came", "littering": "remaining in the temporary directory: left-",
		"chatty": "a record too many", "honest": "",
	} {
		t.Run(lies, func(t *testing.T) {
			t.Setenv(standIn, lies)
			d := &drive{programs: p, program: p.Programs[0], tortureCase: c, binary: self, root: t.TempDir(), mark: lies}
			problems, err := d.run(t.Context())
			require.NoError(t, err)
			if complaint == "" {
				assert.Empty(t, problems)
				return
			}
			assert.Contains(t, strings.Join(problems, "\n"), complaint)
		})
	}
}
