package console

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/keys"
	"example.org/ripple/runtime/internal/lineedit"
)

// For any edits and any concurrent output, the terminal shows the program's output, then the line,
// with the cursor at its place in the line.
func TestTheLineFollowsTheProgramsOutput(t *testing.T) {
	typed := []string{"a", "bc ", "漢", "e\u0301", "\x7f", "\x1b[D", "\x1b[D", "\x1b[C", "\x01", "\x05", "\x0b", "\x17", "\x1b[A", "\x1b[B", "a longer text with some words in it", " w\t\t", "\t", "\x0c", "\x1f", "\x1b."}
	printed := []string{"x", "one\r\n", "> ", "\r\n$ ", "漢字", "\r\n\r\n\r\n", "a whole line of what a program prints\r\n# "}
	for seed := range uint64(testkit.Fewer(t, 40, testkit.Times(t, 100, 300))) {
		r := rand.New(rand.NewPCG(seed, 7))
		cols, rows := 10+r.IntN(30), 4+r.IntN(8)
		program, person := vt.New(vt.Options{Cols: cols, Rows: 60, History: 100}), vt.New(vt.Options{Cols: cols, Rows: rows, History: 200})
		paint := painting{screen: vt.New(vt.Options{Cols: cols, Rows: rows})}
		edit := lineedit.New(lineedit.History{Lines: []string{"short", "a line that is longer than a row of the terminal"}}, lineedit.Completion{Indents: func() bool { return seed%2 == 0 }, Text: func() string { return "words wide wherever " + strings.Repeat("w", r.IntN(40)) }})
		var split keys.Splitter
		for range 60 {
			if r.IntN(4) == 0 {
				b := []byte(printed[r.IntN(len(printed))])
				program.Write(b)
				paint.erase()
				paint.add(b)
			} else {
				split.Feed([]byte(typed[r.IntN(len(typed))]), func(k *keys.Key) {
					if edit.Key(k).Do == lineedit.Clear {
						paint.clear()
					}
				})
			}
			paint.show(edit.View())
			person.Write(paint.flush())
			if text := strings.Join(edit.View().Chars, ""); len(text) < cols*(rows-3) && len(edit.View().List) == 0 {
				requireShown(t, seed, program, person, edit.View())
			}
		}
		paint.hide()
		person.Write(paint.flush())
		requireShown(t, seed, program, person, lineedit.View{})
	}
}

// requireShown checks that the end of the user's screen is the program's screen followed by the
// line.
func requireShown(t *testing.T, seed uint64, program, person *vt.Screen, v lineedit.View) {
	t.Helper()
	want := vt.New(vt.Options{Cols: cols(program), Rows: 60, History: 100})
	want.Write(program.AppendANSI(nil))
	want.Write([]byte(strings.Join(v.Chars[:v.At], "")))
	x, _ := want.Cursor()
	if x == cols(want) {
		x = 0
	}
	want.Write([]byte(strings.Join(v.Chars[v.At:], "")))
	all := lastLines(want)
	shown := lastLines(person)
	require.Truef(t, strings.HasSuffix(all, shown) || strings.HasSuffix(shown, all), "seed %d:\nwanted %q\nshown  %q", seed, all, shown)
	px, py := person.Cursor()
	if px == cols(person) {
		px, py = 0, py+1
	}
	if v.At < len(v.Chars) && px == 0 && x == cols(want)-1 {
		return // before a wide character that does not fit into the last column
	}
	assert.Equalf(t, x, px, "seed %d: the cursor's column of %q at %d, row %d", seed, strings.Join(v.Chars, ""), v.At, py)
}

func cols(s *vt.Screen) int { n, _ := s.Size(); return n }

// lastLines returns the contents of the screen without line ends and blanks: whether the line of a full row
// continues may differ.
func lastLines(s *vt.Screen) string {
	return strings.NewReplacer("\n", "", " ", "", "\t", "").Replace(string(s.AppendText(nil)))
}

// The message about a line that is too long is shown below the part of it that fits on the screen, and in place of an empty line.
func TestAMessageIsShownBelowTheLine(t *testing.T) {
	for _, tt := range []struct {
		chars int
		shown string
	}{{0, ">\ntoo lon"}, {5, "> xxxxx\ntoo lon"}, {100, "xxxxxx\n\ntoo lon"}} {
		person := vt.New(vt.Options{Cols: 8, Rows: 4})
		paint := painting{screen: vt.New(vt.Options{Cols: 8, Rows: 4})}
		paint.add([]byte("> "))
		v := lineedit.View{Chars: strings.Split(strings.Repeat("x", tt.chars), ""), At: tt.chars, Message: "too long"}
		if tt.chars == 0 {
			v.Chars = nil
		}
		paint.show(v)
		person.Write(paint.flush())
		assert.Contains(t, string(person.AppendText(nil)), tt.shown)
		paint.show(lineedit.View{})
		person.Write(paint.flush())
		assert.NotContains(t, string(person.AppendText(nil)), "long")
	}
}
