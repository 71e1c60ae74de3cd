package record

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
)

func TestParsePlan(t *testing.T) {
	tests := []struct {
		name, text string
		want       Plan
		complete   bool
	}{
		{"no box", "# Plan\n\nNothing yet.\n", Plan{}, false},
		{"all ticked", "- [x] one\n* [X] two\n1. [x] three\n", Plan{0, 3}, true},
		{"one open", "- [x] one\n- [ ] two\n", Plan{1, 1}, false},
		{"nested", "- [x] one\n  - [ ] part of it\n", Plan{1, 1}, false},
		{"CRLF", "- [x] one\r\n- [x] two\r\n", Plan{0, 2}, true},
		{"a box without text", "- [ ]\n", Plan{1, 0}, false},
		{"a link is not a box", "- [x](https://example.org)\n- [x][ref]\n[x]: https://example.org\n- [](https://example.org)\n", Plan{}, false},
		{"a reference is not a box", "[1] Knuth\n- [2026-11-27] begun\n- [Feature] later\n- [a]b\n[a]: https://example.org\n- see [1], [a], [^1], [t](u), [...] and […]\n", Plan{}, false},
		{"an index is not a box", "- a[0] b[i] c[:] d[*] int[] x[]\n- [x] return [] for a[1, 2]\n", Plan{0, 1}, true},
		{"nor is code after words", "Use `[ ]` for an open task, and `` ` [ ] ` `` too.\n- [x] find `- [ ] a` and `☐`\n", Plan{0, 1}, true},
		{"any marks before a box", "- ⛔ [ ] a\n- `[ ]` b\n◦ [ ] c\n1.1 [ ] d\n(1) [ ] e\n\u200e- [ ] f\n[w] g\n- [a]\th\n[ ]: i\n- [x] j\n", Plan{9, 1}, false},
		{"any marks before a box, ticked", "- 🚀 [x] a\n◦ [x] b\n1.1 [x] c\n(1) [X] d\n\u200e- [x] e\n", Plan{0, 5}, true},
		{"any marks in a box", "- [--] a\n- [⏳ ] b\n- [1️⃣] c\n- [\u200ex] d\n- [x] e\n", Plan{4, 1}, false},
		{"boxes of other characters, words", "- ［ ］ a\n- ［x］ b\n- ⬜ c\n- [WIP] d\n[TODO] e\n| f | [in progress] |\n- [x] g\n", Plan{6, 1}, false},
		{"an open box after words", "- a [ ]\nb: [ ]\n- P1 [ ] c\n- P1 [~] d\n- e [ x ]\n- f []\n- g ☐\n<!-- - [ ] h -->\n- [i](j) [ ]\n- **k** [TODO]\n- l ☑\n- [x] m ☑\n", Plan{11, 1}, false},
		{"an open box after words and an open quote of code", "- a ` [ ] b\n- a \\` [ ] ` b\n- [x] c\n", Plan{2, 1}, false},
		{"a checked box after words, or in code, may be an explanation", "Mark tasks with [x].\n- a [x]\n- `[x]` is done\n- \\[x]\n", Plan{1, 0}, false},
		{"several boxes in a line", "- [x] a [ ] b\n- [x][ ] c\n[x] is done, [ ] is open\n| [x] | [~] |\n- [x] d\n", Plan{4, 1}, false},
		{"a box on the line of a fence", "- [x] docs\n```[ ] migrate\n```\n~~~ [x]\n~~~\n", Plan{1, 1}, false},
		{"a checked box on the line of a fence, an index", "- [x] docs\n~~~[x] a[0]\n- [ ] b\n~~~\n", Plan{0, 1}, true},
		{"a mark that is not x is open", "- [~] a\n- [-] b\n- [!] c\n- [?] d\n- [/] e\n- [y] f\n- [✓] g\n- [✔️] h\n- [x] i\n", Plan{8, 1}, false},
		{"no blank, many, or a tab between the brackets", "- [] a\n- [  ] b\n- [\t] c\n- [ x ] d\n- [x] e\n", Plan{4, 1}, false},
		{"odd blanks", "- [\u00a0] a\n-\u00a0[ ] b\n\u3000- [\u2009]\u00a0c\n- [\u200b] d\n- [x] e\n", Plan{4, 1}, false},
		{"no blank around a box", "-[ ] a\n- [ ]b\n- [x] c\n", Plan{2, 1}, false},
		{"escaped", "- \\[ \\] a\n- \\[x\\] b\n- [x] c\n", Plan{2, 1}, false},
		{"other boxes", "- ☐ a\n- ☑ b\n- [x] c\n", Plan{2, 1}, false},
		{"byte order mark", "\ufeff- [ ] first\n- [x] docs\n", Plan{1, 1}, false},
		{"quotes, headings, tables, emphasis", "> - [ ] a\n### [ ] b\n| [ ] | c |\n- **[ ] d**\n1. __[ ]__ e\na) [ ] f\n[ ] g\n- [x] h\n", Plan{7, 1}, false},
		{"quotes, headings, tables, emphasis, ticked", "> - [x] a\n### [x] b\n| [x] | c |\n- **[x] d**\n1. __[x]__ e\na) [x] f\n[x] g\n", Plan{0, 7}, true},
		{"later cells of tables", "| Task | Done |\n|---|---|\n| a | [ ] |\n> | b | **[~]** |\n| c | [x] |\n| d | [x] | [ ] |\n| e | [1] | [2026-11-28] |\n", Plan{3, 1}, false},
		{"later cells of tables, ticked", "| a | [x] |\n| b | [x] | [X] |\n", Plan{0, 2}, true},
		{"indented by tabs", "- [x] one\n\t- [ ] two\n\t\t* [x] three\n", Plan{1, 2}, false},
		{"CR alone ends a line", "- [x] one\r- [ ] two\r", Plan{1, 1}, false},
		{"a fence that is never closed hides nothing", "- [x] docs\n```\nan open fence\n- [ ] migrate\n", Plan{1, 1}, false},
		{"nor does one before a closed one", "- [x] docs\n```\n- [ ] migrate\n```go\ncode\n```\n", Plan{1, 1}, false},
		{"nor an odd number of fences", "- [x] docs\n```\n- [ ] migrate\n```\ncode\n```\n", Plan{1, 1}, false},
		{"a checked box that may be code is not a task", "```\nan open fence\n- [x] docs\n", Plan{0, 0}, false},
		{"three backticks in a line are not a fence", "- [x] docs\n```code``` and text\n- [ ] migrate\n", Plan{1, 1}, false},
		{"a fence in a longer fence, of tildes, quoted", "- [x] a\n````md\n```\n- [ ] b\n````\n~~~\n- [ ] c\n```\n~~~\n> ```\n> - [ ] d\n> ```\n", Plan{0, 1}, true},
		{"fences on the lines of list markers", "1. ```sh\n   make\n   ```\n- [ ] migrate\n2. ```sh\n   make test\n   ```\n- [x] docs\n", Plan{1, 1}, false},
		{"fences on the lines of list markers, all ticked", "1. ```sh\n   make\n   ```\n- [x] migrate\n2. > ~~~\n   > - [ ] example\n   >\n   > ~~~\n- [x] docs\n", Plan{0, 2}, true},
		{"a list item ends its fence", "- ```\n- [ ] migrate\n- ```\n- [x] docs\n", Plan{1, 0}, false},
		{"a list item ends an indented fence", "- [x] docs\n  ```\n- [ ] migrate\n  ```\n", Plan{1, 1}, false},
		{"the end of a quote ends its fence", "- [x] docs\n> ```\n> make\n\n- [ ] migrate\n\n> ```\n> make test\n", Plan{1, 1}, false},
		{"a fence may end as it begins", "- [x] docs\n\t```\n\tmake\n\n\t- [ ] example\n\t```\n", Plan{0, 1}, true},
		{"a fence after text", "- [x] docs ```sh\nmake\n```\n- [ ] migrate\n```\n", Plan{1, 1}, false},
		{"text with the mark of a fence", "Use ``` for code.\n- [x] docs\n", Plan{0, 1}, true},
		{"a fence that ends after text", "- [x] docs\n```sh\nmake ```\n- [ ] migrate\n```\n", Plan{1, 1}, false},
		{"a fence that ends further in", "- [x] docs\n```\nmake\n    ```\n- [ ] migrate\n    ```\nmake\n```\n", Plan{1, 1}, false},
		{"a checked box after a fence of which the end is uncertain", "- [x] docs\n- ```\n- a\n  ```\n  - [x] example\n  ```\n", Plan{0, 1}, true},
		{"a comment", "<!-- - [x] example -->\n1. migrate the data\n", Plan{}, false},
		{"a comment of several lines", "<!--\n- [x] example\n- [ ] open\n--> - [x] end\n1. migrate\n", Plan{1, 0}, false},
		{"a comment without an end", "- [x] docs\n<!--\n- [x] example\n", Plan{0, 1}, true},
		{"a comment after a box", "- [x] docs <!-- note --> and <!-- more -->\n- [x] a `<!--` in code\n- [x] tests <!--\n-->\n- [x] end\n", Plan{0, 4}, true},
		{"a comment in code", "```\n<!--\n```\n- [x] docs\n", Plan{0, 1}, true},
		{"a fence in a comment", "- [x] docs\n<!--\n```\n-->\n- [ ] migrate\n<!--\n```\n-->\n", Plan{1, 1}, false},
		{"a fence on the line of a comment", "- [x] docs <!-- ```\n``` -->\n- [ ] migrate\n```\n", Plan{1, 1}, false},
		{"a fence in preformatted text", "- [x] docs\n<pre>\n```\n</pre>\n- [ ] migrate\n```\n", Plan{1, 1}, false},
		{"a fence in other raw text", "- [x] docs\n- <?\n\n  ```\n  ?>\n- [ ] migrate\n  ```\n", Plan{1, 1}, false},
		{"boxes in preformatted text", "<PRE class=a>\n- [x] docs\n- [ ] open\n</PRE>\n1. migrate\n", Plan{1, 0}, false},
		{"a fence in a block of HTML", "- [x] docs\n<div>\n```\n</div>\n\n- [ ] migrate\n\n```\n", Plan{1, 1}, false},
		{"a block of HTML", "<details>\n<summary>a</summary>\n- [x] docs\n\n```\n- [ ] example\n```\n</details>\n- [x] tests\n<https://example.org>\n", Plan{0, 2}, true},
		{"other words", "- [xx] a\n- [no] b\n- [open] c\n- ( ) d\n- [\x1b[0m ] f\n- \x1b[32m[x]\x1b[0m g\n", Plan{5, 1}, false},
		{"parentheses in or before text", "- f( ) returns\n- (a) b\n- [x] c ( )\n", Plan{0, 1}, true},
		{"an example in fenced code", "- [x] one\n```\n- [ ] example\n```\n", Plan{0, 1}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, ParseTasks(tt.text).Count())
			assert.Equal(t, tt.complete, tt.want.Complete())
		})
	}
}

// For any text, no open box outside of code is hidden, and none is read as checked.
func FuzzParseTasks(f *testing.F) {
	for _, text := range []string{"- [x] a\n1. ```sh\n   b\n   ```\n", "> ~~~\n| c | [ ] |\n", "- ⛔ [~] `[x]`\n\t```\n", "- [WIP] [d](e) [x]\n``` ` ☐", "<!--\n```\n-->\n<pre>\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := ParseTasks(text)
		for _, task := range list {
			assert.NotContains(t, task.Text, "\n")
		}
		if list.Count().Ticked > 0 {
			assert.Regexp(t, `\[[xX]\]`, text)
		}
		if strings.Contains(text, "[ ]") && !strings.ContainsAny(text, "`~\x1b") {
			assert.NotZero(t, list.Count().Open, "no code")
		}
		const task = "\n- [ ] migrate\n"
		item := "- " + strings.Join(lines(text), "\n  ") + "\n"
		quote := "> " + strings.Join(lines(text), "\n> ") + "\n"
		for _, all := range []string{text + "\n" + task, item + task + item, quote + task + quote} {
			assert.NotZero(t, ParseTasks(all).Count().Open, "outside: %q", all)
		}
	})
}

func TestReadTasks(t *testing.T) {
	dir := t.TempDir()
	l, err := ReadTasks(dir, dir)
	require.NoError(t, err, "a missing plan is not an error")
	assert.Equal(t, Plan{}, l.Count())
	require.NoError(t, os.Mkdir(filepath.Join(dir, layout.Dir), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, layout.Dir, layout.PlanFile), []byte("- [ ] a\n"), 0o600))
	l, err = ReadTasks(dir, dir)
	require.NoError(t, err)
	assert.Equal(t, Plan{Open: 1}, l.Count())
	assert.Equal(t, "a", l.Next())
}

// A list whose parsing panics is not complete. The pattern is replaced, so this test is not parallel.
func TestATaskListWhoseParsingPanics(t *testing.T) {
	before := box
	defer func() { box = before }()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, layout.Dir), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, layout.Dir, layout.PlanFile), []byte("- [x] all\n"), 0o600))
	list, err := ReadTasks(dir, dir)
	require.NoError(t, err)
	assert.True(t, list.Count().Complete())
	box = func() *regexp.Regexp { panic("broken") }
	list, err = ReadTasks(dir, dir)
	require.NoError(t, err)
	assert.Equal(t, Tasks{{Text: "internal error (panic) while reading the task list: broken"}}, list)
	assert.False(t, list.Count().Complete())
}

// A text that is made a task can be done, and does not keep the tasks after it from being done.
func TestPlainTask(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                  "a",
		"[x] a ( ) [1] [TODO]":               "[x] a ( ) [1] [TODO]",
		"find `[ ]` <!-- a -->":              "find `[ ]` <!-- a -->",
		"a line has [ ] in it":               "a line has `[ ]` in it",
		"[ ] or [  ], \\[ \\], ☐, or [ ]":    "`[ ]` or `[  ]`, `\\[ \\]`, `☐`, or `[ ]`",
		"two [ ] [ ] and [ ][ ] and \\\\[ ]": "two `[ ] [ ]` and `[ ][ ]` and `\\\\[ ]`",
		"`[ ]` and [ ]":                      "`[ ]` and `[ ]`",
		"`a [ ] b` and [ ]":                  "`a [ ] b` and `[ ]`",
		"an odd ` and [ ]":                   "an odd ' and `[ ]`",
		"`x`[ ]`y`":                          "'x'`[ ]`'y'",
		"parse <!-- and [ ]":                 "parse `<!--` and `[ ]`",
		"a [\x1b[0m ] b":                     "a `[ ]` b",
	} {
		got := PlainTask(text)
		assert.Equal(t, want, got)
		assert.Equal(t, Plan{2, 0}, ParseTasks("- [ ] "+got+"\n- [ ] next").Count(), got)
		assert.True(t, canBeDone(got), got)
	}
}
