package probe

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/schema"
)

// Each kind of prompt of an unknown program is found.
func TestPromptsAreLearned(t *testing.T) {
	needsTheKernel(t)
	kinds := []struct {
		kind, primary, continuation string
	}{
		{"continued", `^toy> $`, `^more> $`},
		{"silent", `^toy> $`, `\A\z`},
		{"counter", `^\[(\d+)\] toy> $`, ""},
		{"okay", ` ?ok *\n\z`, ""},
		{"constant", `^toy> $`, ""}, // which other tests learn, too
	}
	whole := testkit.Times(t, 2, len(kinds))
	for i, c := range kinds[:max(4, whole)] { // of the third and fourth only the prompt is learned
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			l, err := newLab(options("toy", toy(t, c.kind)...))
			require.NoError(t, err)
			defer func() { assert.NoError(t, l.close()) }()
			if i < whole {
				require.NoError(t, experiment(t.Context(), l))
			} else {
				require.NoError(t, lookAtStart(t.Context(), l))
				require.NoError(t, findTerminal(t.Context(), l))
				conclude(l)
			}
			evidence, text := l.log.b.String(), l.draft.yaml()
			a := adapter(t, text)
			assert.Equal(t, c.primary, a.Prompt.Primary, evidence)
			assert.Equal(t, c.continuation, a.Prompt.Continuation, evidence)
			if i >= whole {
				return
			}
			assert.Equal(t, "python", l.tongue.language.Name, evidence)
			assert.Equal(t, `print("{text}")`, a.Samples.Print)
			assert.Equal(t, "6*7", a.Probe.Eval)
			assert.Equal(t, "^42$", a.Probe.Expect)
			assert.Equal(t, `^Oops! `, firstAlternative(a.Output.ErrorPattern), evidence)
			assert.Equal(t, "exit()", a.Lifecycle.Shutdown.Command)
			assert.True(t, a.Capabilities.Interrupt, evidence)
			assert.Empty(t, a.Samples.RawBytes, "only samples that were seen to work are used")
			assert.Contains(t, string(text), "# could not find out: samples.raw_bytes: ")
			assert.Contains(t, string(text), "# sure (experiment 2)")
		})
	}
}

// evaluating returns a lab with a toy that is known to evaluate, and without any other knowledge.
func evaluating(t *testing.T, kind string) *lab {
	t.Helper()
	needsTheKernel(t)
	l, err := newLab(options("toy", toy(t, kind)...))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.close()) })
	l.way = ways[0]
	first, err := l.start(t.Context())
	require.NoError(t, err)
	l.tongue.spelling, l.tongue.result, err = evaluates(t.Context(), l, first)
	require.NoError(t, err)
	require.Equal(t, "6*7", l.tongue.spelling, l.log.b.String())
	l.tongue.found = map[string]string{"print": `print("{text}")`}
	return l
}

// A prompt that shows that the last command failed is a form of the usual prompt, not that of a
// debugger.
func TestAPromptThatShowsErrors(t *testing.T) {
	l := evaluating(t, "status")
	l.tongue.language.Wrong = []string{"no_such_name"}
	require.NoError(t, findErrors(t.Context(), l))
	assert.Empty(t, l.failing.prompts, l.log.b.String())
	assert.Equal(t, `^(?:toy> |toy \[1\]> )$`, l.prompts.pattern().pattern)
}

// A program with a settable prompt gets a marker as its prompt.
func TestAPromptThatCanBeSet(t *testing.T) {
	t.Parallel()
	l := evaluating(t, "settable")
	l.tongue.language.Prompt = []string{`no such command "{prompt}"`, `import sys; sys.ps1 = "{prompt}"`}
	require.NoError(t, findPromptSetting(t.Context(), l))
	require.Len(t, l.announced, 1, l.log.b.String())
	conclude(l)
	l.announced[0].apply(l.draft)
	a := adapter(t, l.draft.yaml())
	assert.Equal(t, schema.PromptMarker, a.Prompt.Strategy)
	assert.Equal(t, "{nonce}> ", a.Init.Marker.Primary)
	assert.Empty(t, a.Prompt.Primary)
	report, err := runTests(t.Context(), l, l.draft, contract.Options{Filter: regexp.MustCompile("^probe$")})
	require.NoError(t, err)
	assert.True(t, clean(report), "%s\n%s", l.log.b.String(), l.draft.yaml())
}

// Broken output is detected, and repaired if the language has a setting for that.
func TestOutputIsKeptWhole(t *testing.T) {
	t.Parallel()
	l := evaluating(t, "broken")
	code := l.tongue.found["print"]
	at, err := longestLine(t.Context(), l, code)
	require.NoError(t, err)
	assert.Equal(t, len(lineSizes), at, "lines of 70 are the longest")
	l.tongue.language.Whole = wholeness{Env: map[string]string{"TOY": "1"}, Commands: []string{"keep lines whole"}}
	at, err = keepWhole(t.Context(), l, code, at)
	require.NoError(t, err)
	assert.Zero(t, at, l.log.b.String())
	assert.Equal(t, []string{"keep lines whole"}, l.settings)
	assert.Equal(t, map[string]string{"TOY": "1"}, adapter(t, l.draft.yaml()).Process.Env)
}

// Only markers that carry the nonce count; exit codes count if different ones were seen.
func TestMarkersOfHooks(t *testing.T) {
	for raw, want := range map[string]string{
		"\x1b]633;A;" + probeNonce + "\a$ ":                                      "A",
		"\x1b]633;D;0;" + probeNonce + "\a\x1b]633;A;" + probeNonce + "\a":       "A",
		"\x1b]633;D;0;" + probeNonce + "\a…\x1b]633;D;1;" + probeNonce + "\a":    "D",
		"\x1b]633;P;Cwd=/a;" + probeNonce + "\a\x1b]633;C;another\a\x1b]633;A\a": "P",
	} {
		assert.Equal(t, want, marksIn([]byte(raw)), "%q", raw)
	}
}

// A program that has sent a query to the terminal waits for the terminal's answer, not for input.
func TestAQueryIsNotAWait(t *testing.T) {
	for raw, asks := range map[string]bool{
		"x\x1b[6n": true, "\x1b[c": true, "\x1b[6n> ": false, "> ": false, "": false, "\x1b[1m": false, "\x1b[0mn": false,
	} {
		assert.Equal(t, asks, endsInQuery([]byte(raw)), "%q", raw)
	}
}

// A program that queries its terminal before each line is not waited for after it has the answer.
func TestAProgramThatAsksItsTerminal(t *testing.T) {
	t.Parallel()
	l := evaluating(t, "asks")
	assert.Equal(t, []string{"toy> "}, l.prompts.lines, l.log.b.String())
	a, err := l.eval(t.Context(), "6*8")
	require.NoError(t, err)
	assert.Equal(t, waits, a.how, l.log.b.String())
	assert.Contains(t, a.output, "48")
}

// The pattern of a prompt is loosened only if the prompt was seen.
func TestALooserPattern(t *testing.T) {
	l := &lab{draft: newDraft(Options{Name: "x", Command: []string{"x"}})}
	for _, v := range variations(l, "starts and ends") {
		assert.NotContains(t, v.what, "prompt.primary", "no prompt was seen")
	}
	l.prompts.lines = []string{"[1] toy 2> "}
	l.draft.plain("prompt.primary", `^\[(\d+)\] toy 2> $`)
	list := variations(l, "starts and ends")
	list[len(list)-1].apply(l.draft)
	assert.Equal(t, `^\[\d+\] toy \d+> $`, l.draft.text("prompt.primary"))
	l.draft.drop("prompt.primary")
	for _, v := range variations(l, "starts and ends") {
		assert.NotContains(t, v.what, "prompt.primary", "a marker is in its place")
	}
}

// A program with a line editor on every terminal, and a switch in its help that disables it, is
// started with the switch if the switch works.
func TestALineEditorIsSwitchedOff(t *testing.T) {
	t.Parallel()
	needsTheKernel(t)
	for kind, added := range map[string][]string{"editor": {"--nolineedit"}, "stubborn": nil} {
		t.Run(kind, func(t *testing.T) {
			o := options("toy", toy(t, kind)...)
			l, err := newLab(o)
			require.NoError(t, err)
			defer func() { assert.NoError(t, l.close()) }()
			require.NoError(t, lookAtStart(t.Context(), l))
			require.NoError(t, findTerminal(t.Context(), l))
			assert.Equal(t, slices.Concat(o.Command[1:], added), []string(adapter(t, l.draft.yaml()).Process.Args), l.log.b.String())
			assert.Equal(t, "6*7", l.tongue.spelling, l.log.b.String())
		})
	}
}

// The first prompt of a program may come after its first wait for input.
func TestAPromptThatComesLate(t *testing.T) {
	t.Parallel()
	l := evaluating(t, "late")
	assert.Equal(t, []string{"toy> "}, l.prompts.lines, l.log.b.String())
	first, err := l.start(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "toy> ", first.last())
	assert.True(t, l.atPrompt, l.log.b.String())
}

// A language that cannot reach the score of another one is not tried to the end.
func TestALanguageThatCannotWinIsAbandoned(t *testing.T) {
	l := evaluating(t, "constant")
	lang := language{Name: "other", Samples: map[string][]string{"print": {"no_such_print"}, "set_var": {"v = {n}"}, "get_var": {"v"}, "comment": {"# nothing"}}}
	whole, err := tryLanguage(t.Context(), l, lang, 0)
	require.NoError(t, err)
	assert.Equal(t, 4, whole.score)
	left, err := tryLanguage(t.Context(), l, lang, 4)
	require.NoError(t, err)
	assert.Zero(t, left.score, "printing did not work, and the rest is worth 4")
}

// The second answer determines the form of an answer: the first one may follow output of the start.
func TestSecondAnswerDeterminesItsForm(t *testing.T) {
	l := evaluating(t, "constant")
	a, err := l.eval(t.Context(), "6*7")
	require.NoError(t, err)
	a.output = "1> " + a.output
	require.True(t, confirm(t.Context(), l, "6*7", &a), l.log.b.String())
	assert.Equal(t, "^42$", resultPattern(l, a.output))
}

// Tests that compare kinds of prompts and vary keys run only the tests concerned.
func TestVariedTestsExcludeFaultsAndLeaks(t *testing.T) {
	l := evaluating(t, "constant")
	conclude(l)
	report, err := runContracts(t.Context(), l)
	require.NoError(t, err)
	all := 0
	for _, test := range report.Tests {
		if test.Level > varied {
			all++
			assert.Equal(t, 1, strings.Count(l.log.b.String(), " "+test.Name), "%s: %s", test.Name, &l.log.b)
		}
	}
	assert.Positive(t, all)
	assert.Equal(t, contract.MaxLevel, report.Tests[len(report.Tests)-1].Level)
}

func needsTheKernel(t *testing.T) {
	t.Helper()
	if !pty.Tells {
		t.Skip("this system does not report whether a program waits for input")
	}
}

func firstAlternative(pattern string) string {
	first, _, _ := strings.Cut(pattern, "|")
	return first
}

// A program that cannot be learned is reported clearly and quickly, and leaves nothing behind.
func TestProgramsThatCannotBeLearned(t *testing.T) {
	needsTheKernel(t)
	for _, c := range []struct {
		name    string
		command []string
		limit   time.Duration // of the start; 0: the usual one
		reason  string
	}{
		{"it ends at once", []string{"/bin/sh", "-c", "echo bye; exit 3"}, 0, "ended with exit code 3 before it waited for input"},
		{"it never waits", []string{"/bin/sh", "-c", "while :; do :; done"}, 300 * time.Millisecond, "did not wait for input within 300ms"},
		{"it goes on printing", []string{"/bin/sh", "-c", "while :; do echo y; done"}, 300 * time.Millisecond, "did not wait for input within 300ms"},
		{"the whole screen", []string{"/bin/sh", "-c", `printf '\033[?1049h'; read x`}, 0, "a full-screen program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := options("x", c.command...)
			o.StartTimeout = cmp.Or(c.limit, o.StartTimeout)
			result, err := Run(t.Context(), o)
			var start *StartError
			require.ErrorAs(t, err, &start)
			assert.Contains(t, err.Error(), c.reason)
			assert.NotEmpty(t, result.Evidence)
			assert.Empty(t, result.Adapter)
		})
	}
}

func TestAMissingProgramIsAnError(t *testing.T) {
	_, err := Run(t.Context(), options("x", "no-such-program-anywhere"))
	var missing *launch.MissingError
	assert.True(t, errors.As(err, &missing), "%v", err)
}

// A program that reads and never answers is given up: its adapter lists what could not be found
// out.
func TestAProgramThatNeverAnswers(t *testing.T) {
	t.Parallel()
	needsTheKernel(t)
	l, err := newLab(options("deaf", "/bin/sh", "-c", "printf 'deaf> '; while read x; do printf 'deaf> '; done"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.close()) }()
	require.NoError(t, experiment(t.Context(), l))
	text := l.draft.yaml()
	assert.Empty(t, l.tongue.language.Name)
	assert.Contains(t, string(text), "# could not find out: probe.eval: ")
	assert.Equal(t, `^deaf> $`, adapter(t, text).Prompt.Primary)
}

// If the time is over before a prompt was seen, the adapter says so.
func TestTimeIsOverBeforeThePrompt(t *testing.T) {
	needsTheKernel(t)
	o := options("toy", toy(t, "constant")...)
	l, err := newLab(o)
	require.NoError(t, err)
	defer func() { assert.NoError(t, l.close()) }()
	require.NoError(t, lookAtStart(t.Context(), l))
	l.prompts.lines = nil
	conclude(l)
	assert.Contains(t, string(l.draft.yaml()), "no prompt was seen within the time limit")
	assert.Equal(t, `^\x00$`, adapter(t, l.draft.yaml()).Prompt.Primary)
}

// Experiments leave nothing in the directory for temporary files.
func TestNothingIsLeft(t *testing.T) {
	needsTheKernel(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	o := options("x", "/bin/sh", "-c", "echo bye")
	_, err := Run(t.Context(), o)
	require.Error(t, err)
	left, err := filepath.Glob(filepath.Join(dir, "ripple-probe-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = os.Stat(dir)
	require.NoError(t, err)
}
