package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// head is a valid adapter to which a test appends what it is about.
const head = "schema: 1\nname: x\nversion: 0.1.0\ndescription: d\nfamily: repl\nprocess: {}\nprompt: {strategy: regex, primary: '^> $'}\n"

// mustParse parses head with more keys.
func mustParse(t *testing.T, more string, o Options) *Adapter {
	t.Helper()
	a, ds := Parse("x.yaml", []byte(head+more), o)
	require.Empty(t, render(ds))
	return a
}

func TestNullMeansNotSetExceptForSignals(t *testing.T) {
	a := mustParse(t, `
init: {strategy: null, marker: null}
ready: null
output: {strip_input_echo: null, line_ending: null}
input: {clear_line: null, tempfile: null}
modes: null
commands: {prefix: null, debugger: {run: null, step_in: s}}
signals: {interrupt: null, suspend: null}
capabilities: {shell_integration: null, exit_code: null}
aliases: null
`, Options{})
	assert.Equal(t, InitNone, a.Init.Strategy)
	assert.Nil(t, a.Init.Marker)
	assert.Equal(t, 30000, a.Ready.OutputSettledMaxMS)
	assert.True(t, a.Output.StripInputEcho)
	assert.Equal(t, "\r\n", a.Output.LineEnding)
	assert.Nil(t, a.Input.Tempfile)
	assert.Nil(t, a.Signals.Interrupt)
	assert.Nil(t, a.Signals.Suspend)
	require.NotNil(t, a.Signals.EOF)
	assert.Equal(t, "\x04", *a.Signals.EOF)
	assert.Equal(t, ExitCodeFalse, a.Capabilities.ExitCode)
	run, declared := a.Commands.Debugger["run"]
	assert.True(t, declared)
	assert.Nil(t, run)
	assert.Equal(t, "s", *a.Commands.Debugger["step_in"])
}

func TestExitCodeQuotedOrNot(t *testing.T) {
	for text, want := range map[string]ExitCode{
		"true": ExitCodeTrue, `"true"`: ExitCodeTrue, "True": ExitCodeTrue, "false": ExitCodeFalse, "'false'": ExitCodeFalse,
		"unreliable": ExitCodeUnreliable, `"unreliable"`: ExitCodeUnreliable,
	} {
		a := mustParse(t, "init: {}\ncapabilities: {exit_code: "+text+"}\n", Options{})
		assert.Equal(t, want, a.Capabilities.ExitCode, text)
	}
}

func TestPlainScalarsAreTextWhereCodeIsExpected(t *testing.T) {
	a := mustParse(t, `
init: {}
probe: {eval: 1, expect: 1.50}
tests: [{name: t, setup: 0x10, eval: false, expect: true}]
`, Options{})
	assert.Equal(t, "1.50", a.Probe.Expect)
	assert.Equal(t, "0x10", *a.Tests[0].Setup)
	assert.Equal(t, "false", *a.Tests[0].Eval)
	assert.Equal(t, "true", *a.Tests[0].Expect)

	_, ds := Parse("x.yaml", []byte(head+"init: {}\nprobe: {eval: 1, expect: +5}\n"), Options{})
	require.Len(t, ds, 1, "+5 is a number, and no pattern")
	assert.Equal(t, KindPattern, ds[0].Kind)
}

func TestPositionsOfTestsAndSteps(t *testing.T) {
	a := mustParse(t, `init: {}
probe:
  eval: 1
  expect: '1'
tests:
  - name: a
    eval: 1
  - name: b
    setup_sequence:
      - {eval: 1}
      - eval: 2
`, Options{})
	assert.Equal(t, Position{9, 1}, a.Probe.Pos)
	assert.Equal(t, Position{13, 5}, a.Tests[0].Pos)
	assert.Equal(t, Position{13, 5}, a.Tests[0].Step.Pos)
	assert.Equal(t, Position{15, 5}, a.Tests[1].Pos)
	assert.Equal(t, Position{17, 9}, a.Tests[1].SetupSequence[0].Pos)
	assert.Equal(t, Position{18, 9}, a.Tests[1].SetupSequence[1].Pos)
}

func TestByteOrderMarkAndCRLF(t *testing.T) {
	a, ds := Load(filepath.Join("testdata", "ok", "crlf.yaml"), Options{})
	require.Empty(t, render(ds))
	assert.Equal(t, "first\nsecond\n", a.Script)

	_, ds = Parse("x.yaml", []byte("\xef\xbb\xbfschemas: 1\r\n"), Options{})
	require.NotEmpty(t, ds)
	assert.Equal(t, 1, ds[0].Column, "the mark is not counted")
	assert.NotContains(t, render(ds), "\r")
}

func TestScriptsAreFoundBesideTheFileFirst(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	file := write("adapters/x.yaml", head+"init: {delivery: pty_inject, script_resource: a.sh}\n")
	builtin := Options{Scripts: []fs.FS{fstest.MapFS{"a.sh": {Data: []byte("built in\r\n")}}}}
	for _, step := range []struct{ write, want string }{
		{"", "built in\n"},
		{"adapters/a.sh", "adapters/a.sh"},
		{"integration-scripts/a.sh", "integration-scripts/a.sh"},
		{"adapters/integration-scripts/a.sh", "adapters/integration-scripts/a.sh"},
	} {
		if step.write != "" {
			write(step.write, step.write)
		}
		a, ds := Load(file, builtin)
		require.Empty(t, render(ds))
		assert.Equal(t, step.want, a.Script)
	}
}

func TestScriptThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), make([]byte, maxScript+1), 0o644))
	for _, name := range []string{"d", "big", "none"} {
		_, ds := Parse("x.yaml", []byte(head+"init: {script_resource: "+name+"}\n"), Options{}.ForFile(filepath.Join(dir, "x.yaml")))
		require.Len(t, ds, 1, name)
		assert.Equal(t, KindScript, ds[0].Kind)
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), t.TempDir()} {
		a, ds := Load(path, Options{})
		assert.Nil(t, a)
		require.Len(t, ds, 1)
		assert.Equal(t, KindFile, ds[0].Kind)
		assert.Contains(t, ds[0].Message, "cannot be read")
		assert.NotContains(t, ds[0].Message, path, "it is there once already")
	}
}

func TestSizeLimitComesBeforeParsing(t *testing.T) {
	_, ds := Parse("x.yaml", bytes.Repeat([]byte("\x00"), maxFileSize+1), Options{})
	require.Len(t, ds, 1)
	assert.Equal(t, KindLimit, ds[0].Kind)

	path := filepath.Join(t.TempDir(), "big.yaml")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, os.Truncate(path, 1<<40), "sparse: a loader that reads it all does not return")
	_, ds = Load(path, Options{})
	require.Len(t, ds, 1)
	assert.Equal(t, KindLimit, ds[0].Kind)
}

func TestHostileNesting(t *testing.T) {
	for name, data := range map[string]string{
		"flow lists":                    strings.Repeat("[", 100_000),
		"flow mappings":                 strings.Repeat("{a: ", 100_000),
		"block lists":                   strings.Repeat("- ", 100_000),
		"block mappings":                nestedMappings(3000),
		"anchors":                       "a: " + strings.Repeat("&a ", 1000),
		"one long line":                 head + "license: " + strings.Repeat("x", 1<<20),
		"many unknown keys in one line": "{" + manyKeys(150_000) + "}",
		"many keys":                     head + strings.Repeat("k: 1\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, ds := Parse("x.yaml", []byte(data), Options{})
			require.NotEmpty(t, ds)
			for _, d := range ds[:1] {
				assert.Less(t, len(d.Format()), 1000)
			}
		})
	}
}

// The time for a mapping grows with the square of its keys, so there is a limit.
func TestManyKeys(t *testing.T) {
	for _, n := range []int{maxKeys, maxKeys + 1} {
		p, ds := ParseProject("ripple.yml", []byte("adapters: {"+strings.ReplaceAll(manyKeys(n), ": 1", ": {}")+"}"))
		if n == maxKeys {
			require.Empty(t, ds)
			assert.Len(t, p.Adapters, n)
			continue
		}
		require.Len(t, ds, 1)
		assert.Contains(t, ds[0].String(), "more than 2000 keys in one mapping [limit]")
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1, ", i)
	}
	return b.String()
}

func nestedMappings(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestPatternsAreDotNetFlavouredAndLimited(t *testing.T) {
	re, err := CompilePattern(`(?<=^\u0001)(?<word>\w+)$`)
	require.NoError(t, err)
	m, err := re.FindStringMatch("first\n\x01second\nthird")
	require.NoError(t, err)
	require.NotNil(t, m, "^ and $ match at line ends")
	assert.Equal(t, "second", m.GroupByName("word").String())
	assert.Equal(t, MatchLimit, re.MatchTimeout)

	re, err = CompilePattern(`a.b`, regexp2.Singleline)
	require.NoError(t, err)
	assert.True(t, matches(re, "a\nb"))

	_, err = CompilePattern("a(b")
	assert.EqualError(t, err, "missing closing )")
}

func TestSuggestions(t *testing.T) {
	keys := []string{"strategy", "shell_integration", "primary", "continuation"}
	for word, want := range map[string][]string{
		"stratgey": {"strategy"}, "Strategy": {"strategy"}, "shell": {"shell_integration"}, "primray": {"primary"},
		"x": {}, "": {}, "something_else_entirely": {}, strings.Repeat("strategy", 1000): nil,
	} {
		assert.Equal(t, want, Nearest(word, keys), word)
	}
}

func FuzzParse(f *testing.F) {
	for _, dir := range []string{"ok", "err", "lint"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
		require.NoError(f, err)
		for _, path := range files {
			data, err := os.ReadFile(path)
			require.NoError(f, err)
			if len(data) < 4096 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, ds := Parse("x.yaml", data, Options{})
		if (a == nil) == (len(ds) == 0) {
			t.Fatalf("an adapter or errors, never both or none: %v %v", a, ds)
		}
		for _, d := range ds {
			if d.Line < 1 || d.Column < 1 || d.Kind == "" || d.Message == "" {
				t.Fatalf("incomplete diagnostic %+v", d)
			}
		}
		if a != nil {
			if _, err := SplitCommand(a.Process.CommandTemplate); err != nil {
				t.Fatalf("a file that loads has a command: %v", err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile(filepath.Join("testdata", "ok", "powershell.yaml"))
	require.NoError(b, err)
	o := Options{}.ForFile(filepath.Join("testdata", "ok", "powershell.yaml"))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if a, ds := Parse("x.yaml", data, o); a == nil {
			b.Fatal(ds)
		}
	}
}

// Of a valid file, ParseValid returns what Parse returns.
func TestParseValid(t *testing.T) {
	corpus(t, "ok", func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		o := Options{}.ForFile(path)
		want, ds := Parse(path, data, o)
		require.Empty(t, ds)
		got, ds := ParseValid(path, data, o)
		require.Empty(t, ds)
		assert.Equal(t, want, got)
	})
}

// Decode returns the adapter that was sealed, without its files.
func TestSeal(t *testing.T) {
	corpus(t, "ok", func(t *testing.T, path string) {
		want, text, ds := LoadText(path, Options{})
		require.Empty(t, ds)
		sealed, err := want.Encode(text)
		require.NoError(t, err)
		got, err := Decode(sealed)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
	one, two := &Adapter{Source: "a.yaml"}, &Adapter{Source: "/dir/a.yaml"}
	first, err := one.Encode([]byte("text"))
	require.NoError(t, err)
	second, err := two.Encode([]byte("text"))
	require.NoError(t, err)
	assert.Equal(t, Digest(first), Digest(second))
	third, err := two.Encode([]byte("another"))
	require.NoError(t, err)
	assert.NotEqual(t, Digest(second), Digest(third))
	assert.Empty(t, Digest(nil))
	_, err = Decode([]byte("{}"))
	require.ErrorContains(t, err, "file is empty")
}

// A file that repeats a text by aliases, in many places, is refused before the text is checked in each of them.
func TestAliasesRepeatLittleText(t *testing.T) {
	agent := func(aliases int, text string) string {
		return `schema: 1
name: x
version: 0.1.0
description: x
family: agent
process: {executable: sh}
agent:
  display_name: X
  prompt: {deliver: stdin}
  output: {format: text}
  failures:
  - {pattern: &p "` + text + `", kind: usage}
` + strings.Repeat("  - {pattern: *p, kind: usage}\n", aliases)
	}
	_, ds := Parse("x.yaml", []byte(agent(3, strings.Repeat("a", 9000))), Options{})
	require.Empty(t, ds, "27 KB in a file of 9 KB")
	for name, data := range map[string]string{
		"long text":   agent(1000, strings.Repeat("(a|b)", 1800)),
		"many values": agent(0, "a") + "x: &a [" + strings.Repeat("a,", 500) + "]\ny: [" + strings.Repeat("*a,", 100) + "]\n",
	} {
		_, ds = Parse("x.yaml", []byte(data), Options{})
		require.Condition(t, func() bool {
			return slices.ContainsFunc(ds, func(d Diagnostic) bool {
				return d.Kind == KindLimit && strings.Contains(d.Message, "aliases repeat more than")
			})
		}, "%s: %v", name, ds)
	}
}

// A text that a file has in many places is checked once.
func TestEqualTextsAreCheckedOnce(t *testing.T) {
	checked := map[string]int{}
	check := once(func(s string) error {
		checked[s]++
		return errors.New(s)
	})
	for range 3 {
		require.EqualError(t, check("a"), "a")
		require.EqualError(t, check("b"), "b")
	}
	assert.Equal(t, map[string]int{"a": 1, "b": 1}, checked)
	for i := range 10 * maxResults {
		require.Error(t, check(strconv.Itoa(i)))
	}
	require.EqualError(t, check("a"), "a")
	assert.Equal(t, 2, checked["a"], "results are not kept forever")
}

// The pattern to which group captures refer is compiled once, however many there are.
func TestManyGroupCaptures(t *testing.T) {
	parse := func(groups, captures int) (allocations uint64) {
		list := strings.Repeat("{name: a, group: 1, type: string, role: mode_indicator}, ", captures)
		data := strings.Replace(head, "primary: '^> $'", "primary: '"+strings.Repeat("(a|b)", groups)+"', group_captures: ["+list+"]", 1) + "init: {strategy: regex}\n"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, ds := Parse("x.yaml", []byte(data), Options{})
		runtime.ReadMemStats(&after)
		require.Empty(t, render(ds))
		return after.Mallocs - before.Mallocs
	}
	long, many := parse(1900, 1), parse(1, 30)
	assert.Less(t, parse(1900, 30), 2*(long+many), "allocations for one capture: %d, for a short pattern: %d", long, many)
}

// Compiling a jq program takes a time that grows with the square of its length.
func TestLongProgramsAreRefused(t *testing.T) {
	check := formats["jq"].check
	require.NoError(t, check("."+strings.Repeat("?", 12_000)))
	require.ErrorContains(t, check("."+strings.Repeat("?", 13_000)), "a program of 13001 bytes is longer than the limit of 12288")
}
