package scenario_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

func play(t *testing.T, text string, st scenario.Stage) (out, stderr string, code int) {
	t.Helper()
	s, ds := schema.ParseScenario("s.yaml", []byte(text))
	require.Empty(t, ds)
	var o, e bytes.Buffer
	st.Out, st.Err, st.Now = &o, &e, func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	if st.Dir == "" {
		st.Dir = t.TempDir()
	}
	st.Deaf = func() { o.WriteString("deaf\n") }
	code, err := scenario.Play(t.Context(), s, st)
	require.NoError(t, err)
	return o.String(), e.String(), code
}

func TestSteps(t *testing.T) {
	for _, c := range []struct{ name, step, want string }{
		{"text", `{text: "turn {turn} of {session}: {prompt}"}`, `{"type":"text","text":"turn 1 of s-1: do it"}`},
		{"status", `{status: {EXIT_SIGNAL: true, STATUS: COMPLETE, X: 1}}`, `{"type":"text","text":"---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\nX: 1\n---END_RALPH_STATUS---"}`},
		{"tool", `{tool: {name: Read, input: {file_path: a}, result: text}}`, `{"type":"tool_use","id":"1-1","name":"Read","input":{"file_path":"a"}}` + "\n" + `{"type":"tool_result","id":"1-1","content":"text"}`},
		{"run", `{run: "echo hi; exit 3"}`, `{"type":"tool_use","id":"1-1","name":"Bash","input":{"command":"echo hi; exit 3"}}` + "\n" + `{"type":"tool_result","id":"1-1","content":"hi\n","is_error":true}`},
		{"edit of what is not there", `{edit: {path: a, old: x, new: z}}`, `{"type":"tool_use","id":"1-1","name":"Edit","input":{"file_path":"a","new_string":"z","old_string":"x"}}` + "\n" + `{"type":"tool_result","id":"1-1","content":"there is no file a","is_error":true}`},
		{"limit", `{limit: {message: slow, resets_in_ms: 1000}}`, `{"type":"rate_limited","message":"slow","resets_at":"2026-01-02T03:04:06Z"}`},
		{"deny", `{deny: {tool: Bash, detail: no}}`, `{"type":"permission_denied","name":"Bash","detail":"no"}`},
		{"error", `{error: {message: oops, fatal: true, kind: auth}}`, `{"type":"error","message":"oops","fatal":true,"kind":"auth"}`},
		{"raw", `{raw: "not json"}`, `not json`},
		{"deaf", `{deaf: true}`, `deaf`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, code := play(t, "turns: [{steps: ["+c.step+"]}]", scenario.Stage{Prompt: "do it", Session: "s-1", Turn: 1})
			assert.Equal(t, `{"type":"session","id":"s-1"}`+"\n"+c.want+"\n"+`{"type":"finished"}`+"\n", out)
			assert.Zero(t, code)
		})
	}
}

func TestFilesAreReallyWritten(t *testing.T) {
	dir := t.TempDir()
	play(t, `turns: [{steps: [{write: {path: a/b.txt, content: "one two\n"}}, {edit: {path: a/b.txt, old: two, new: three}}]}]`, scenario.Stage{Dir: dir})
	b, err := os.ReadFile(filepath.Join(dir, "a", "b.txt"))
	require.NoError(t, err)
	assert.Equal(t, "one three\n", string(b))
}

// In the working tree of a loop, the plan is that of the project unless the tree has its own.
func TestThePlanOfAWorkingTree(t *testing.T) {
	const script = `turns: [{steps: [{edit: {path: .ralph/@fix_plan.md, old: "[ ]", new: "[x]"}}]}]`
	project := t.TempDir()
	tree := filepath.Join(project, ".ralph", "agent", "work-worktree")
	require.NoError(t, os.MkdirAll(filepath.Join(tree, ".ralph"), 0o755))
	text := func(dir string) string {
		b, err := os.ReadFile(filepath.Join(dir, ".ralph", "@fix_plan.md"))
		require.NoError(t, err)
		return string(b)
	}
	out, _, _ := play(t, script, scenario.Stage{Dir: tree})
	assert.Contains(t, out, `"content":"there is no file .ralph/@fix_plan.md"`)
	require.NoError(t, os.WriteFile(filepath.Join(project, ".ralph", "@fix_plan.md"), []byte("- [ ] one\n"), 0o644))
	play(t, script, scenario.Stage{Dir: tree})
	assert.Equal(t, "- [x] one\n", text(project))
	require.NoError(t, os.WriteFile(filepath.Join(tree, ".ralph", "@fix_plan.md"), []byte("- [ ] two\n"), 0o644))
	play(t, script, scenario.Stage{Dir: tree})
	assert.Equal(t, "- [x] two\n", text(tree))
}

// A signal that ends a command ends the agent, as a loop sends it to both.
func TestASignalEndsTheAgent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals there")
	}
	for signal, want := range map[string]int{"INT": 130, "TERM": 143, "KILL": 0} {
		for _, deaf := range []bool{false, true} {
			dir, ignore := t.TempDir(), ""
			if deaf {
				ignore, want = "{deaf: true}, ", 0
			}
			_, _, code := play(t, "turns: [{steps: ["+ignore+"{run: \"kill -"+signal+" $$\"}, {write: {path: after, content: x}}]}]", scenario.Stage{Dir: dir})
			assert.Equal(t, want, code, signal)
			_, err := os.Stat(filepath.Join(dir, "after"))
			assert.Equal(t, want == 0, err == nil, signal)
		}
	}
}

// A scenario may run in projects that the user does not trust.
func TestNoLinkLeadsOutOfTheProject(t *testing.T) {
	for name, c := range map[string]struct{ link, target, step string }{
		"write":                         {"a", "bashrc", `{write: {path: a, content: new}}`},
		"edit":                          {"a", "bashrc", `{edit: {path: a, old: old, new: new}}`},
		"write into a linked directory": {"d", ".", `{write: {path: d/bashrc, content: new}}`},
		"edit in a linked directory":    {"d", ".", `{edit: {path: d/bashrc, old: old, new: new}}`},
		"write over a missing file":     {"a", "missing", `{write: {path: a, content: new}}`},
		"directory in a linked one":     {"d", ".", `{write: {path: d/e/f, content: new}}`},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			home, project := filepath.Join(top, "home"), filepath.Join(top, "project")
			require.NoError(t, os.Mkdir(home, 0o755))
			require.NoError(t, os.Mkdir(project, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(home, "bashrc"), []byte("old"), 0o644))
			require.NoError(t, os.Symlink(filepath.Join(home, c.target), filepath.Join(project, c.link)))
			s, ds := schema.ParseScenario("s.yaml", []byte("turns: [{steps: ["+c.step+"]}]"))
			require.Empty(t, ds)
			var out bytes.Buffer
			_, err := scenario.Play(t.Context(), s, scenario.Stage{Dir: project, Turn: 1, Out: &out, Err: &out})
			assert.True(t, err != nil || strings.Contains(out.String(), `"is_error":true`), out.String())
			text, err := os.ReadFile(filepath.Join(home, "bashrc"))
			require.NoError(t, err)
			assert.Equal(t, "old", string(text))
			there, err := os.ReadDir(home)
			require.NoError(t, err)
			assert.Len(t, there, 1)
		})
	}
}

// A command ends with its shell, and what it started in the background continues and can print.
func TestACommandInTheBackground(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no shell there")
	}
	dir := t.TempDir()
	require.NoError(t, exec.Command("mkfifo", filepath.Join(dir, "end"), filepath.Join(dir, "printed")).Run())
	out, _, _ := play(t, `turns: [{steps: [{run: "(read x < end; echo late; echo $? > printed) & echo begun"}, {run: "echo > end; cat printed"}]}]`, scenario.Stage{Dir: dir})
	assert.Contains(t, out, `"content":"begun\n"`)
	assert.Contains(t, out, `"content":"0\n"`)
}

// After the end of the context, no step is played, and the turn has no end.
func TestNoStepAfterTheEnd(t *testing.T) {
	s, _ := schema.ParseScenario("s", []byte(`turns: [{steps: [{deaf: true}, {text: never}]}]`))
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	_, err := scenario.Play(ctx, s, scenario.Stage{Out: &out, Deaf: cancel})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, `{"type":"session"}`+"\n", out.String())
}

func TestTurns(t *testing.T) {
	const two = `turns: [{steps: [{text: a}]}, {steps: [{text: b}], exit_code: 4, failed: true, kind: auth, result: r, usage: {input: 1, output: 2, cost_usd: 0.5}}]`
	for turn, want := range map[int]string{0: "a", 1: "a", 2: "b", 3: "b"} {
		out, _, _ := play(t, two, scenario.Stage{Turn: turn})
		assert.Contains(t, out, `"text":"`+want+`"`, "turn %d", turn)
	}
	out, _, code := play(t, two, scenario.Stage{Turn: 2})
	assert.Equal(t, 4, code)
	assert.Contains(t, out, `{"type":"usage","input":1,"output":2,"cost_usd":0.5}`)
	assert.Contains(t, out, `{"type":"finished","is_error":true,"kind":"auth","result":"r"}`)
}

func TestEndings(t *testing.T) {
	out, stderr, code := play(t, `turns: [{steps: [{stderr: dying}, {exit: 9}, {text: never}]}]`, scenario.Stage{})
	assert.Equal(t, 9, code)
	assert.Equal(t, "dying\n", stderr)
	assert.Equal(t, `{"type":"session"}`+"\n", out)

	s, _ := schema.ParseScenario("s", []byte(`turns: [{steps: [{stall: true}]}]`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := scenario.Play(ctx, s, scenario.Stage{Out: &bytes.Buffer{}})
	assert.ErrorIs(t, err, context.Canceled)
}

// A scenario can name exactly the kinds that the loop knows.
func TestKindsOfAScenarioAreThoseOfEvents(t *testing.T) {
	for _, kind := range []event.Kind{
		event.Auth, event.Limited, event.SessionUnknown, event.Denied, event.MaxTurns, event.Version,
		event.BadUsage, event.Crashed, event.Timeout, event.Interrupted, event.ModelError,
		event.Overloaded, event.ContextFull,
	} {
		_, diags := schema.ParseScenario("s", fmt.Appendf(nil, "turns: [{failed: true, kind: %s, steps: [{error: {message: x, kind: %s}}]}]", kind, kind))
		assert.Empty(t, diags, kind)
	}
	_, diags := schema.ParseScenario("s", []byte("turns: [{failed: true, kind: limited}]"))
	assert.NotEmpty(t, diags)
}
