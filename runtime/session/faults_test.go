package session_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// A panic of the code that looks for prompts costs no output and no end of a command: output after
// the line in which it happened is interpreted as usual.
func TestAPanicOfTheParsers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, "bash", session.Options{FaultDir: dir})
	s.BreakParsers()
	r, err := s.Eval(deadline(t), `printf 'before\nBRE%s here\nafter\n' AK; (exit 3)`)
	require.NoError(t, err)
	for _, line := range []string{"before", "BREAK here", "after"} {
		assert.Equal(t, 1, strings.Count(r.Output, line+"\n"), "%s in %q", line, r.Output)
	}
	require.NotNil(t, r.ExitCode)
	assert.Equal(t, 3, *r.ExitCode)
	reported(t, r, dir, "looking for prompts", `BREAK here\r\n`)
	assert.Equal(t, "next\n", eval(t, s, "echo next").Output)

	s.BreakParsers()
	r, err = s.Eval(deadline(t), `printf 'BRE%s' AK; (exit 4)`) // the prompt follows on the same line
	require.NoError(t, err)
	assert.Equal(t, "BREAK", r.Output)
	assert.Equal(t, 4, *r.ExitCode)

	for range 10 { // reports are bounded, notices are not
		s.BreakParsers()
		r, err = s.Eval(deadline(t), `printf 'BRE%s' AK`)
		require.NoError(t, err)
		assert.Contains(t, r.Fault, "internal error (panic) while looking for prompts")
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 5)
}

// A panic while output is rendered costs it its form.
func TestAPanicOfTheRenderer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, "bash", session.Options{FaultDir: dir})
	r := leave(t, s, "echo before; read -r; printf 'a\\rb\\n'; (exit 3)", func(st session.State) bool { return st.Waiting == session.WaitingInput })
	assert.Equal(t, "before\n", r.Output)
	s.BreakRenderer()
	require.NoError(t, s.Send(deadline(t), []byte("x\n")))
	r, err := s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Contains(t, r.Output, "a\rb")
	assert.Equal(t, 3, *r.ExitCode)
	reported(t, r, dir, "handling output", "")
	assert.Equal(t, "b\n", eval(t, s, "printf 'a\\rb\\n'").Output, "the next command is rendered")
}

// reported checks the notice and the file that it names.
func reported(t *testing.T, r session.Result, dir, doing, output string) {
	t.Helper()
	_, name, named := strings.Cut(r.Fault, "report it with ")
	require.True(t, named, "%q", r.Fault)
	assert.True(t, strings.HasPrefix(name, dir))
	report, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, want := range []string{"panic while " + doing, output, "runtime/session"} {
		assert.Contains(t, string(report), want)
	}
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}
