package tui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

func picture(title string, progress bool, rows ...string) Picture {
	return Picture{Rows: rows, Title: title, Progress: progress}
}

// small are the rules of a small interface: the place for prompts and a hint under it.
var small = &schema.AgentScreen{
	States: []schema.ScreenState{
		{State: "ready", Rows: []int{-2, -1}, Pattern: `^> .*\n\? help\z`, Without: "esc", Title: "^✳"},
		{State: "working", Rows: []int{-1, -1}, Pattern: `^esc stops\z`, Priority: 1},
		{
			State: "asks", Rows: []int{-3, -1}, Pattern: `^y or n\z`, Priority: 2,
			Question: `^│ (?<text>[\s\S]*)\ny or n`, Answers: map[string][]string{"allow_once": {"y"}, "reject_once": {"n"}},
		},
		{State: "working", Progress: new(true)},
		{State: "login", Rows: []int{1, 1}, Pattern: "^Log in", Answers: map[string][]string{"accept": {"\r"}}},
	},
	Session: `resume (?<id>\S+)`,
}

func TestTheTextThatARuleMatches(t *testing.T) {
	rules, err := compile(small)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		see   Picture
		state string
		asked string
	}{
		"ready":                          {picture("✳ x", false, "hello", "> ", "? help"), "ready", ""},
		"ready, with another title":      {picture("x", false, "hello", "> ", "? help"), "", ""},
		"ready, as a model wrote it":     {picture("✳ x", false, "> ", "? help", "> ", "esc stops"), "working", ""},
		"without what it must not have":  {picture("✳ x", false, "> esc", "? help"), "", ""},
		"progress, and nothing else":     {picture("", true, "> "), "working", ""},
		"the highest priority":           {picture("✳ x", true, "│ Write a.go?", "│ 12 lines │", "y or n"), "asks", "Write a.go?\n12 lines"},
		"a question that is not there":   {picture("", false, "a", "y or n"), "asks", ""},
		"a question without its pattern": {picture("", false, "Log in  ", "b"), "login", "Log in"},
		"an empty screen":                {picture("", false), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := rules.see(c.see)
			assert.Equal(t, c.state, s.State)
			assert.Equal(t, c.asked, s.Asked)
		})
	}
	assert.Equal(t, "abc", rules.Session(picture("", false, "bye", "resume abc now")))
	assert.Empty(t, rules.Session(picture("", false, "bye")))
}

func TestWhichRowsARuleLooksAt(t *testing.T) {
	p := picture("", false, "1", "2", "3", "4")
	for _, c := range []struct {
		rows []int
		want string
	}{
		{nil, "1 2 3 4"},
		{[]int{1, 2}, "1 2"},
		{[]int{-2, -1}, "3 4"},
		{[]int{2, -2}, "2 3"},
		{[]int{-9, 1}, "1"},
		{[]int{3, 9}, "3 4"},
		{[]int{4, -4}, ""},
		{[]int{7, 9}, ""},
	} {
		rows, _ := p.between(c.rows)
		assert.Equal(t, c.want, strings.ReplaceAll(rows, "\n", " "), "%v", c.rows)
	}
	rows, _ := picture("", false).between([]int{-2, -1})
	assert.Empty(t, rows)
}

func TestARuleThatCannotBeCompiledNamesItsKey(t *testing.T) {
	_, err := compile(&schema.AgentScreen{Text: schema.ScreenText{Below: "("}})
	assert.ErrorContains(t, err, "agent.screen.text.below: ")
}

func TestTheAnswerIsTheNewText(t *testing.T) {
	rules, err := compile(&schema.AgentScreen{Text: schema.ScreenText{Below: `^─+\n> `, Prompt: "^> ", Drop: []string{`^Took`}}})
	require.NoError(t, err)
	foot := []string{"", "────", "> ", "────"}
	for name, c := range map[string]struct{ before, after, want string }{
		"the first":                     {"head", "head||> one||● 1", "● 1"},
		"the next":                      {"head||> one||● 1", "head||> one||● 1||> two||● 2", "● 2"},
		"the same again":                {"head||> one||● 1", "head||> one||● 1||> one||● 1", "● 1"},
		"the beginning has left":        {"head||> one||● 1", "● 1||> two||● 2|  more", "● 2\n  more"},
		"all has left":                  {"head||> one||● 1", "a|b|c", "a\nb\nc"},
		"a prompt of several lines":     {"head", "head||> one|  and two||● 1", "● 1"},
		"blank rows, and what is none":  {"head", "head||> one||  ● 1|||  2|Took 3 s", "● 1\n\n2"},
		"the last row was drawn over":   {"head|waiting", "head||> one||● 1", "● 1"},
		"a row that moves":              {"head|||Took 1 s", "head||> one||● 1|||Took 1 s", "● 1"},
		"nothing yet":                   {"head", "head||> one", ""},
		"nothing at all":                {"head", "head", ""},
		"an answer that looks like one": {"head", "head||> one||● 1|────|> x", "● 1\n────\n> x"},
	} {
		t.Run(name, func(t *testing.T) {
			screen := func(s string) []string { return append(strings.Split(s, "|"), foot...) }
			assert.Equal(t, c.want, strings.Join(rules.text.answer("", screen(c.before), screen(c.after)), "\n"))
		})
	}
}

// A scroll bar appears and disappears, and is not part of a row; characters that look like
// it elsewhere are.
func TestAScrollBar(t *testing.T) {
	rules, err := compile(&schema.AgentScreen{Bar: "[│█]"})
	require.NoError(t, err)
	s := vt.New(vt.Options{Cols: 10, Rows: 6})
	s.Write([]byte("│ a box │ \r\nhello    │\r\n╭───────╮█\r\n         █\r\n│ x     ││\r\n日本語   ┃"))
	assert.Equal(t, []string{"│ a box │", "hello", "╭───────╮", "", "│ x     │", "日本語   ┃"}, rules.picture(s).Rows)
}

// A repeated prompt is not part of the answer, whatever it looks like.
func TestTheAnswerExcludesThePrompt(t *testing.T) {
	rules, err := compile(&schema.AgentScreen{Text: schema.ScreenText{Below: `^─+\n> `, Prompt: "^> ", Mark: "^● "}})
	require.NoError(t, err)
	for name, c := range map[string]struct{ prompt, after, want string }{
		"of paragraphs":           {"one\n\n- two\n\nthree", "head||> one||  - two||  three||● 1|  2||  3||● 4", "1\n2\n\n3~4"},
		"wrapped":                 {"one two three\n\nfour", "head||> one two|  three||  four||● 1", "1"},
		"its beginning has left":  {"one\n\nThis is the end.\n\nOr this.", "  This is the end.||  Or this.||● 1", "1"},
		"something stands for it": {"one\n\ntwo", "head||> [Pasted 3 lines]||● 1", "1"},
		"it looks like an answer": {"one\n\n● two", "head||> one||  ● two||● 1", "1"},
		"nothing after it":        {"one\n\ntwo", "head||> one||  two", ""},
	} {
		t.Run(name, func(t *testing.T) {
			foot := []string{"", "────", "> ", "────"}
			before, after := append([]string{"head"}, foot...), append(strings.Split(c.after, "|"), foot...)
			parts := rules.text.parts(rules.text.answer(c.prompt, before, after))
			assert.Equal(t, c.want, strings.Join(parts, "~"))
		})
	}
}

// A prompt is entered when it is to be seen, whatever stood there before.
func TestWhenAPromptIsEntered(t *testing.T) {
	rules, err := compile(&schema.AgentScreen{Prompt: schema.ScreenPrompt{Entered: `^> \[Pasted`}})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		prompt, before, after string
		want                  bool
	}{
		"it is there":            {"say hello", "> ", "> say hello", true},
		"it is not":              {"say hello", "> ", "> say hel", false},
		"instead of its letters": {"hi", `> Ask: "What is this?"`, "> hi", true},
		"it was shown before":    {"hi", "> hi|● Hello.|> ", "> hi|● Hello.|> hi", true},
		"it was shown before, and is incomplete now": {"hi", "> hi|● Hello.|> ", "> hi|● Hello.|> h", false},
		"wrapped":                 {"one two three", "> ", "> one two|  three", true},
		"something stands for it": {"one\ntwo", "> ", "> [Pasted 2 lines]", true},
	} {
		t.Run(name, func(t *testing.T) {
			shown := picture("", false, strings.Split(c.before, "|")...)
			entered := rules.shows(c.prompt, func() Picture { return shown })
			assert.False(t, entered())
			shown = picture("", false, strings.Split(c.after, "|")...)
			assert.Equal(t, c.want, entered())
		})
	}
}

// Without marks an answer is one part.
func TestAnAnswerWithoutMarks(t *testing.T) {
	assert.Equal(t, []string{"a\n\n  b"}, (&text{}).parts([]string{"", "a", "", "  b", ""}))
	assert.Empty(t, (&text{}).parts(nil))
}

// A question is reported with its tool, and is not part of the answer.
func TestTheBoxOfAQuestion(t *testing.T) {
	rules, err := compile(&schema.AgentScreen{States: []schema.ScreenState{{
		State: "asks", Pattern: `^Allow `, Question: `^─+\n(?<text>Allow (?<tool>.*)\?\n(?<input>.*))`, Rows: []int{-4, -1}, Answers: map[string][]string{"yes": {"y"}},
	}}})
	require.NoError(t, err)
	s := rules.see(picture("", false, "● 1", "", "────", "Allow Bash?", "rm -rf /", "y or n"))
	assert.Equal(t, "Allow Bash?\nrm -rf /", s.Asked)
	assert.Equal(t, "Bash", s.Tool)
	assert.Equal(t, "rm -rf /", s.Input)
	assert.Equal(t, 4, s.box)
}

func FuzzRulesSeeAnything(f *testing.F) {
	rules, err := compile(small)
	require.NoError(f, err)
	f.Add("│ Write?\ny or n", "hello", "✳")
	f.Add("", "\n\n> \n", "")
	f.Fuzz(func(t *testing.T, before, after, title string) {
		rules.see(Picture{Rows: strings.Split(before, "\n"), Title: title})
		rules.text.parts(rules.text.answer(before, strings.Split(before, "\n"), strings.Split(after, "\n")))
	})
}
