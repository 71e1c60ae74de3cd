package lineedit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTabCompletesWords(t *testing.T) {
	text := "os.path.join(a, b)\nUSER_NAME=x --no-edit caf\u00e9-au-lait\n漢字かな 漢字カナ\n\"two words\" e\u0301tude"
	files := func(word string) (found []string) {
		for _, f := range []string{"docs/", "docs/one.md", "docs/other file", "My File", "etc/passwd"} {
			if strings.HasPrefix(f, word) && !strings.Contains(strings.TrimSuffix(f[len(word):], "/"), "/") {
				found = append(found, f)
			}
		}
		return found
	}
	for _, tt := range []struct{ name, keys, line, list string }{
		{"a word of the text", "x = os.p\t", "x = os.path.join|", ""},
		{"a name, where no longer word fits", "y.jo\t", "y.join|", ""},
		{"a name after a sign", "$USER_\t", "$USER_NAME|", ""},
		{"an option", "git --n\t", "git --no-edit|", ""},
		{"a line of the history", "git che\t", "git checkout|", ""},
		{"as far as all agree", "git st\t", "git sta|", ""},
		{"all that there are", "git sta\t\t", "git sta|", "stash status"},
		{"until the next key", "git sta\t\tt", "git stat|", ""},
		{"and until the line is dropped", "git sta\t\t\x03", "|", ""},
		{"not where another key was between", "git sta\tt\x7f\t", "git sta|", ""},
		{"before the cursor", "git stas)" + left + "\t", "git stash|)", ""},
		{"not the word itself", "git checkout" + left + left + "\t", "git checko|ut", ""},
		{"nothing", "nothing\t\t", "nothing|", ""},
		{"no word", "git \t\t", "git |", ""},
		{"wide characters", "漢\t\t", "漢字|", "漢字かな 漢字カナ"},
		{"combining characters", "e\u0301t\t", "e\u0301tude|", ""},
		{"half a character", "e\t", "e\u0301tude|", ""},
		{"a directory", "ls do\t", "ls docs/|", ""},
		{"a file in it", "ls docs/on\t", "ls docs/one.md|", ""},
		{"not in a directory that is not there", "ls x/do\t", "ls x/do|", ""},
		{"names without the directory", "ls docs/o\t\t", "ls docs/o|", "one.md other file"},
		{"up to a space, which would have to be quoted", "ls M\t", "ls My|", ""},
		{"not after a space in a name", "ls 'a do\tx", "ls 'a dox|", ""},
		{"nor after a quoted space", `ls a\ do` + "\tx", `ls a\ dox|`, ""},
		{"after a quote", "ls 'do\t", "ls 'docs/|", ""},
		{"after a search", "\x12checko\t", "git checkout x|", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			history := History{Lines: []string{"git checkout x", "git status", "git stash"}}
			e := typing{Editor: New(history, Completion{Text: func() string { return text }, Files: files})}
			e.types(tt.keys)
			assert.Equal(t, tt.line, e.line())
			assert.Equal(t, tt.list, strings.Join(e.View().List, " "))
		})
	}
}

// In a further line of a command, Tab indents, as in the block of a program in Python.
func TestTabIndents(t *testing.T) {
	for _, tt := range []struct{ keys, line string }{
		{"\t\tx = wo\t", "\t\tx = words|"},
		{"  \t", "  \t|"},
		{"x" + left + "\t", "\t|x"},
	} {
		e := typing{Editor: New(History{}, Completion{Indents: func() bool { return true }, Text: func() string { return "words" }})}
		e.types(tt.keys)
		assert.Equal(t, tt.line, e.line())
	}
}

// A tab is shown as the blanks up to its stop: a tab itself would leave what these cells have shown before.
func TestTabsAreShownAsBlanks(t *testing.T) {
	for _, tt := range []struct {
		first, cols int
		chars       []string
		shown       string
		end         Place
	}{
		{4, 40, []string{"\t", "x"}, "    x", Place{0, 9}},
		{4, 40, []string{"a", "\t", "\t"}, "a           ", Place{0, 16}},
		{4, 10, []string{"\t", "\t", "x", "\t", "y"}, "     xy", Place{1, 1}},
	} {
		shown, end, _ := View{Chars: tt.chars}.Layout(tt.first, tt.cols, 10)
		assert.Equal(t, tt.shown, shown)
		assert.Equal(t, tt.end, end)
	}
}

func TestATableOfWords(t *testing.T) {
	list := []string{"one", "two", "three", "漢字", "five"}
	for _, tt := range []struct {
		cols, rows int
		shown      []string
	}{
		{80, 5, []string{"one    two    three  漢字   five"}},
		{16, 5, []string{"one    two", "three  漢字", "five"}},
		{16, 2, []string{"one    two", "(3 more)"}},
		{16, 1, []string{"(5 more)"}},
		{16, 0, nil},
		{4, 9, []string{"one", "two", "thr", "漢", "fiv"}},
	} {
		assert.Equal(t, tt.shown, Table(list, tt.cols, tt.rows))
	}
	assert.Empty(t, Table(nil, 80, 5))
}

// A line looks like the one that is entered: characters that reorder others are shown, wherever they come from.
func TestCharactersThatReorderAreShown(t *testing.T) {
	for _, char := range []string{"\u202e", "\u2066", "\u200f", "\u2028"} {
		view := View{Chars: split("a" + char + "b"), At: 3}
		shown, end, cursor := view.Layout(0, 20, 5)
		assert.Equal(t, "a\ufffdb", shown)
		assert.Equal(t, Place{Col: 3}, end)
		assert.Equal(t, Place{Col: 3}, cursor)
		assert.Equal(t, []string{"a\ufffdb  c"}, Table([]string{"a" + char + "b", "c"}, 20, 5))
	}
}
