package probe

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/schema"
)

func TestPatternsOfPrompts(t *testing.T) {
	for _, c := range []struct {
		name    string
		prompts []string
		pattern string
	}{
		{"constant", []string{"> ", "> ", "> "}, `^> $`},
		{"characters with a meaning in patterns", []string{"(gdb) ", "(gdb) "}, `^\(gdb\) $`},
		{"a counter", []string{"(%i1) ", "(%i2) ", "(%i3) "}, `^\(%i(\d+)\) $`},
		{"a constant number", []string{"py3[1] ", "py3[2] "}, `^py3\[(\d+)\] $`},
		{"a counter that grows", []string{"[9] ", "[10] "}, `^\[(\d+)\] $`},
		{"the directory", []string{"/tmp/work # "}, `^\S* # $`},
	} {
		assert.Equal(t, c.pattern, learn(c.prompts, "/tmp/work").pattern, c.name)
	}
}

func TestPatternsOfModes(t *testing.T) {
	for _, c := range []struct {
		prompts []string
		pattern string
		level   bool
	}{
		{[]string{"debug> ", "debug> "}, `^debug> $`, false},
		{[]string{"1] ", "2] ", "3] "}, `^(\d+)\] $`, true},
		{[]string{"0] ", "0[2] ", "0[3] "}, `^(?:0\] |0\[(\d+)\] )$`, true},
		{[]string{"break> "}, `^break> $`, false},
	} {
		pattern, level := modePattern(c.prompts)
		assert.Equal(t, c.pattern, pattern)
		assert.Equal(t, c.level, level, c.prompts)
	}
}

func TestPatternsOfErrors(t *testing.T) {
	for _, c := range []struct {
		name      string
		bad, good []string
		pattern   string
	}{
		{"a name that ends in Error", []string{"TypeError: x\n", "ReferenceError: y\n"}, []string{"42\n"}, `^(?:\w+\.)*\w*(?:Error|Exception)\b`},
		{"a common beginning", []string{"Oops! one\n", "Oops! two\n"}, []string{"42\n"}, `^Oops! `},
		{"good output with the word", []string{"error: x\n"}, []string{"error: none\n"}, ""},
		{"nothing", nil, []string{"42\n"}, ""},
		{"one only", []string{"no way 'x'\n"}, []string{"42\n"}, `^no way `},
	} {
		assert.Equal(t, c.pattern, errorPattern(c.bad, c.good), c.name)
	}
}

// A draft is written as equivalent YAML, whatever it contains.
func TestDraftsAreRead(t *testing.T) {
	d := newDraft(Options{Name: "x", Command: []string{"prog", "--a b", "it's", "\x01"}})
	d.set("prompt.primary", "^'\\d+\"#: $", sure, 2, "a note\nof two lines")
	d.unknown("prompt.continuation", "never seen\r\n: {")
	d.set("signals.interrupt", nil, sure, 6, "")
	for _, text := range []string{"yes", "no", "null", "~", "- a", "a: b", " x ", "\t", "é\u2028", "\x7f", "#", "{text}", "it's", "1", "1.5", "y"} {
		d.plain("samples.print", text)
		a, err := d.adapter("x.yaml")
		require.NoError(t, err, "%q\n%s", text, d.yaml())
		assert.Equal(t, text, a.Samples.Print)
		assert.Equal(t, "^'\\d+\"#: $", a.Prompt.Primary)
		assert.Equal(t, []string{"--a b", "it's", "\x01"}, a.Process.Args)
		assert.Nil(t, a.Signals.Interrupt)
	}
}

// The table satisfies the assumptions of the code.
func TestLanguages(t *testing.T) {
	names := map[string]bool{}
	keys := map[string]bool{"read_secret": true} // cannot be tested on a terminal without echo
	for _, key := range sampleKeys {
		keys[key] = true
	}
	for _, l := range languages() {
		assert.False(t, names[l.Name], "%s occurs twice", l.Name)
		names[l.Name] = true
		assert.NotEmpty(t, l.Spellings, l.Name)
		for _, s := range l.Spellings {
			assert.Contains(t, s, "6", l.Name)
			assert.Contains(t, s, "7", l.Name)
			assert.NotRegexp(t, fortyTwo(), s, l.Name)
		}
		for key, codes := range l.Samples {
			assert.True(t, keys[key], "%s: samples.%s", l.Name, key)
			assert.NotEmpty(t, codes, "%s: samples.%s", l.Name, key)
		}
		assert.Contains(t, []string{"", string(schema.FamilyShell), string(schema.FamilyDebugger)}, l.Family, l.Name)
	}
	assert.Greater(t, len(spellings()), 40)
}

// Variations refer to existing tests.
func TestVariationsReferToExistingTests(t *testing.T) {
	d := newDraft(Options{Name: "x", Command: []string{"x"}})
	a, err := d.adapter("x.yaml")
	require.NoError(t, err)
	names := append(contract.ListTests(a, contract.Options{}), "reports errors")
	for name := range lastResort {
		assert.Contains(t, names, name)
	}
}

// A row of one character may have another length if the prompt above it has.
func TestARowOfAnyLength(t *testing.T) {
	for prompt, want := range map[string]string{
		"........ ": `\.+ `, "... ": `\.\.\. `, "     ...> ": ` +\.\.\.> `, "aaaaa> ": `aaaaa> `, "――――> ": "―+> ", "": "", "\xff\xff> ": regexp.QuoteMeta("\xff\xff> "),
	} {
		assert.Equal(t, want, anyLength(prompt), "%q", prompt)
	}
}

// From a help text, only switches that disable a line editor are taken.
func TestSwitchesAgainstLineEditors(t *testing.T) {
	for help, want := range map[string][]string{
		"  --multiline       Use multiline editor module\n  --nomultiline     Don't use multiline editor module\n": {"--nomultiline"},
		"--simple-prompt\n    Force simple minimal prompt\n--no-simple-prompt\n    Use a rich prompt\n":            {"--simple-prompt"},
		"  -n, --no-readline        disable enhanced command line editing (readline)\n":                            {"--no-readline"},
		"  --noediting\n  --norc\n":                                      {"--noediting"},
		"--no-autoedit-syntax\n    Turn off auto editing of files":       nil,
		"  --editor NAME   the editor\n  --no-color      without colors": nil,
		"  --noedit        y\n\t--no-line-editor  none":                  {"--noedit", "--no-line-editor"},
	} {
		assert.Equal(t, want, switchesIn(help), "%q", help)
	}
}

// Output before the first answer is not part of the second answer's pattern.
func TestFiftyFourAsFortyTwo(t *testing.T) {
	for output, want := range map[string]string{
		"54\n": "42\n", "Out[7]: 54\n": "Out[7]: 42\n", "$154 = 54": "$154 = 42", "540": "540",
	} {
		assert.Equal(t, want, asFortyTwo(output))
	}
}
