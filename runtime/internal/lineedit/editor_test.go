package lineedit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/internal/keys"
)

// typing is an editor with what it has handed over.
type typing struct {
	*Editor
	split   keys.Splitter
	entered []string
}

func (t *typing) types(input string) {
	key := func(k *keys.Key) {
		if r := t.Key(k); r.Do != Edited && r.Do != Bell {
			t.entered = append(t.entered, r.Text)
		}
	}
	t.split.Feed([]byte(input), key)
	t.split.Flush(key)
}

// line is what is shown, with a bar for the cursor.
func (t *typing) line() string {
	v := t.View()
	return strings.Join(v.Chars[:v.At], "") + "|" + strings.Join(v.Chars[v.At:], "")
}

const (
	left, right, up, down   = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	begin, end, del         = "\x1b[H", "\x1b[F", "\x1b[3~"
	paste, pasted, ctrlLeft = "\x1b[200~", "\x1b[201~", "\x1b[1;5D"
)

func TestKeysEditTheLine(t *testing.T) {
	for _, tt := range []struct{ name, keys, line string }{
		{"text", "abc", "abc|"},
		{"left and right", "abc" + left + left + right + "x", "abx|c"},
		{"the ends stop", left + "a" + right + right + left + left + left + "x", "x|a"},
		{"home and end", "bc" + begin + "a" + end + "d", "abcd|"},
		{"Ctrl-A, Ctrl-E, Ctrl-B, Ctrl-F", "bc\x01a\x05d\x02\x02\x06x", "abcx|d"},
		{"application cursor keys", "b\x1bOHa\x1bOFc\x1bODx", "abx|c"},
		{"backspace", "abc" + left + "\x7f", "a|c"},
		{"Ctrl-H", "ab\x08", "a|"},
		{"delete", "abc" + begin + del, "|bc"},
		{"Ctrl-D deletes", "abc\x01\x04", "|bc"},
		{"words", "one two.three" + ctrlLeft + "x" + "\x1bb\x1bby", "one y|two.xthree"},
		{"words on", "one two" + begin + "\x1bf\x1bfx", "one twox|"},
		{"Ctrl-K and Ctrl-Y", "abcd" + left + left + "\x0b\x01\x19", "cd|ab"},
		{"Ctrl-U", "abcd" + left + "\x15", "|d"},
		{"Ctrl-W", "ls /usr/lib  \x17", "ls |"},
		{"Alt-Backspace", "ls /usr/lib\x1b\x7f", "ls /usr/|"},
		{"Alt-D", "ls /usr" + begin + "\x1bd", "| /usr"},
		{"Ctrl-T", "ab\x14", "ba|"},
		{"Ctrl-T within", "abc" + left + left + "\x14", "ba|c"},
		{"Ctrl-T alone", "a\x14\x14", "a|"},
		{"Ctrl-_ undoes", "ls \x17\x1f", "ls |"},
		{"Ctrl-_ again", "ab cd" + begin + "x\x1b\x7f\x1f\x1f", "|ab cd"},
		{"text that was typed at once goes at once", "abc\x1f\x1f", "|"},
		{"Ctrl-_ after an exchange", "ab\x14\x1f", "ab|"},
		{"Ctrl-_ after a move", "ab" + left + "c\x1f", "a|b"},
		{"Ctrl-_ after Ctrl-C", "ab\x03\x1f", "|"},
		{"wide characters", "漢字" + left + "x", "漢x|字"},
		{"a combining character is of one with the one before it", "ae\u0301" + left + "x", "ax|e\u0301"},
		{"and goes with it", "ae\u0301\x7f", "a|"},
		{"it joins when it is typed", "e" + left + right + "\u0301" + left, "|e\u0301"},
		{"families and flags are one character", "👨‍👩‍👧🇩🇪" + left + left + "x", "x|👨‍👩‍👧🇩🇪"},
		{"Ctrl-C takes the line away", "abc\x03x", "x|"},
		{"Escape and unknown keys do nothing", "a\x1b[15~\x1b[Z\x0fb", "ab|"},
		{"pasted text is not read as keys", "a" + paste + "b\tc\x03\x1b[D" + pasted + "d", "ab\tc[Dd|"},
		{"mouse reports are not read as keys", "a\x1b[<0;1;1Mb", "ab|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := typing{Editor: New(History{}, Completion{})}
			e.types(tt.keys)
			assert.Equal(t, tt.line, e.line())
			assert.Empty(t, e.entered)
		})
	}
}

func TestEnteredText(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		entered    []string
		line       string
	}{
		{"a line", "ab" + left + "\r", []string{"ab"}, "|"},
		{"an empty one", "\r", []string{""}, "|"},
		{"Ctrl-C and Ctrl-D where there is no line", "\x03\x04", []string{"\x03", "\x04"}, "|"},
		{"Ctrl-\\", "a\x1c", []string{"\x1c"}, "a|"},
		{"Ctrl-Z stops nothing at a prompt", "a\x1a", nil, "a|"},
		{"pasted lines", "x" + paste + "a\nb\r\nc" + pasted + "d", []string{"xa\rb\r"}, "cd|"},
		{"pasted before the end", "xy" + left + paste + "a\nb" + pasted, []string{"xa\r"}, "b|y"},
		{"pasted control characters are left out", paste + "a\x03b\x1b[2Jc\n" + pasted, []string{"ab[2Jc\r"}, "|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := typing{Editor: New(History{}, Completion{})}
			e.types(tt.keys)
			assert.Equal(t, tt.entered, e.entered)
			assert.Equal(t, tt.line, e.line())
		})
	}
}

func TestHistory(t *testing.T) {
	for _, tt := range []struct{ name, keys, line string }{
		{"the last line", up, "three|"},
		{"the one before", up + up, "two|"},
		{"the oldest one stays", up + up + up + up + up, "one|"},
		{"back to the unfinished line", "half" + up + up + down + down, "half|"},
		{"no further", "half" + down, "half|"},
		{"Ctrl-P and Ctrl-N", "\x10\x10\x0e", "three|"},
		{"the last word of the last line", "x \x1b.", "x three|"},
		{"of an older one", "x \x1b.\x1b.", "x two|"},
		{"not beyond the oldest one", "x \x1b.\x1b_\x1b.\x1b.", "x one|"},
		{"from the newest again", "\x1b.\x1b. \x1b.", "two three|"},
		{"of a line with quotes", "echo 'a b' \"c \\\" d\" \r\x1b.", "\"c \\\" d\"|"},
		{"with a quoted blank", "a b\\ c\r\x1b.", "b\\ c|"},
		{"Ctrl-_ does not go back from a line", "x" + up + "\x1f", "three|"},
		{"a line that was entered", "four\r" + up, "four|"},
		{"not twice", "three\r" + up + up, "two|"},
		{"not with a blank before it", " secret\r" + up, "three|"},
		{"not an empty one", "\r  \r" + up, "three|"},
		{"pasted lines", paste + "a\nb\n" + pasted + up + up, "a|"},
		{"after Ctrl-C from the newest", up + up + "\x03" + up, "three|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := typing{Editor: New(History{Lines: []string{"one", "two", "three"}}, Completion{})}
			e.types(tt.keys)
			assert.Equal(t, tt.line, e.line())
		})
	}
}

// The further lines of a command are kept if its first line is, also those that begin with a blank.
func TestHistoryOfACommandOfSeveralLines(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		further    func(pasted bool) bool
		lines      []string
	}{
		{"typed", "def g(a):\r\treturn a\r\rg(2)\r", nil, []string{"def g(a):", "\treturn a", "g(2)"}},
		{"its first line begins with a blank", " for i in 1 2; do\r  echo $i\rdone\rls\r", nil, []string{"ls"}},
		{"pasted", paste + "def g(a):\n    return a\n\ng(2)\n" + pasted, func(pasted bool) bool { return pasted }, []string{"def g(a):", "    return a", "g(2)"}},
		{"pasted, with a blank before the first", paste + " a\n  b\n" + pasted, func(pasted bool) bool { return pasted }, nil},
		{"pasted commands", paste + "a\n b\nc\n" + pasted, func(bool) bool { return false }, []string{"a", "c"}},
	} {
		var e typing
		if tt.further == nil { // the program prompts for further lines until an empty one, or done
			tt.further = func(bool) bool {
				n := len(e.entered)
				return n > 0 && n < 3 && e.entered[n-1] != ""
			}
		}
		var kept []string
		e.Editor = New(History{Keep: func(line string) { kept = append(kept, line) }, Further: tt.further}, Completion{Indents: func() bool { return true }})
		e.types(tt.keys)
		assert.Equal(t, tt.lines, kept, tt.name)
	}
}

func TestSearch(t *testing.T) {
	const ctrlR = "\x12"
	for _, tt := range []struct {
		name, keys, line string
		entered          []string
	}{
		{"begins", ctrlR, "(search) |: ", nil},
		{"finds the newest", ctrlR + "git", "(search) git|: git push", nil},
		{"and the one before", ctrlR + "git" + ctrlR, "(search) git|: git status", nil},
		{"narrows", ctrlR + "git s", "(search) git s|: git status", nil},
		{"says what is not there", ctrlR + "gitx", "(not found) gitx|: git push", nil},
		{"widens again", ctrlR + "gitx\x7f", "(search) git|: git push", nil},
		{"enters", ctrlR + "make\r", "|", []string{"make all"}},
		{"goes on editing", ctrlR + "make\x01x", "x|make all", nil},
		{"Escape keeps the line", ctrlR + "make\x1b", "make all|", nil},
		{"Ctrl-G takes it away", ctrlR + "make\x07", "|", nil},
		{"the search text may be wide", ctrlR + "漢", "(search) 漢|: echo 漢字", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := typing{Editor: New(History{Lines: []string{"echo 漢字", "git status", "make all", "git push"}}, Completion{})}
			e.types(tt.keys)
			assert.Equal(t, tt.line, e.line())
			assert.Equal(t, tt.entered, e.entered)
		})
	}
}

// Of a line that is longer than what a terminal keeps, nothing is entered, whether it was typed or pasted.
func TestTheLongestLine(t *testing.T) {
	long := strings.Repeat("x", longest)
	for _, tt := range []struct {
		name, keys string
		entered    []string
		line       string
		message    string
	}{
		{"the longest", long + "\r", []string{long}, "|", ""},
		{"typed", long + "y\r", nil, long + "y|", "a line may have 4095 bytes, this one has 4096: it was not entered"},
		{"typed, and shortened", long + "y\r\x7f\r", []string{long}, "|", ""},
		{"lines typed", strings.Repeat(long, 3) + "\rnext\r", nil, strings.Repeat(long, 2) + "|", "a line may have 4095 bytes, this one has 8190: it was not entered"},
		{"pasted", "a" + paste + long + pasted, nil, "a|", "nothing was pasted: a line may have 4095 bytes, line 1 would have 4096"},
		{"pasted before text", "a" + left + paste + "b\n" + long + pasted, nil, "|a", "nothing was pasted: a line may have 4095 bytes, line 2 would have 4096"},
		{"pasted between lines", paste + "echo 1\n" + long + "y\necho 3\n" + pasted, nil, "|", "nothing was pasted: a line may have 4095 bytes, line 2 would have 4096"},
		{"a message stays until the next key", paste + long + "y" + pasted + "z", nil, "z|", ""},
		{"the longest paste", paste + strings.Repeat("x\n", longestPaste/2) + pasted, []string{strings.Repeat("x\r", longestPaste/2)}, "|", ""},
		{"a longer paste", paste + strings.Repeat("x\n", longestPaste/2) + "\x1b\n" + pasted, nil, "|", "nothing was pasted: at most 1048576 bytes of text can be pasted, this has 1048578"},
		{"the paste after it", paste + strings.Repeat("x\n", longestPaste) + pasted + paste + "y\n" + pasted, []string{"y\r"}, "|", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := typing{Editor: New(History{}, Completion{})}
			e.types(tt.keys)
			assert.True(t, tt.line == e.line(), "%.200q", e.line())
			assert.True(t, slices.Equal(tt.entered, e.entered), "%.200q", e.entered)
			assert.Equal(t, tt.message, e.View().Message)
		})
	}
}

// Whatever is typed: the cursor is within the line, and no line that is handed over has
// characters that a terminal acts on.
func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"abc" + left + "\x7f", up + down + "\x12a\x12\r", paste + "a\nb" + pasted + "\r", "e\u0301" + left + del + "\x14\x19\x0b\x15\x17", "\xff\xfe" + ctrlLeft, "one o\t\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		e := typing{Editor: New(History{Lines: []string{"one", "漢字 two"}}, Completion{Text: func() string { return input }})}
		e.types(input)
		v := e.View()
		assert.LessOrEqual(t, v.At, len(v.Chars))
		for _, line := range e.entered {
			if len(line) != 1 {
				assert.Equal(t, printable(strings.ReplaceAll(line, "\r", "")), strings.ReplaceAll(line, "\r", ""))
			}
		}
	})
}
