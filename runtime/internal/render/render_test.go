package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
)

var update = flag.Bool("update", false, "write testdata/*.out and *.kept")

// render returns everything that is emitted for the pieces.
func render(o Options, pieces ...[]byte) string {
	var out strings.Builder
	o.Fault = failing
	r := New(o, func(b []byte) {
		if len(b) == 0 {
			panic("empty emit")
		}
		out.Write(b)
	})
	for _, p := range pieces {
		r.Write(p)
	}
	r.Close()
	return out.String()
}

// failing makes a panic that the renderer has stopped fail the test.
func failing(f fault.Fault) { panic(f.Report()) }

func TestLines(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"CR LF", "a\r\nb\r\n", "a\nb\n"},
		{"CR CR LF", "a\r\r\nb\r\r\r\n", "a\nb\n"},
		{"LF", "a\nb", "a\nb"},
		{"blank lines", "\r\n\r\na\r\n\r\n", "\n\na\n\n"},
		{"blanks and tabs stay", "  a \t b  \r\n\tc\t\r\n", "  a \t b  \n\tc\t\n"},
		{"no line end invented", "a\r\nlast", "a\nlast"},
		{"CR at the end", "abc\r", "abc"},
		{"CR at the beginning", "\rabc\r\n", "abc\n"},
		{"CR overwrites", "abc\rX\r\n", "Xbc\n"},
		{"progress", "  0%\r 50%\r100%\r\ndone\r\n", "100%\ndone\n"},
		{"progress shorter", "loading\r\x1b[Kok\r\n", "ok\n"},
		{"progress, erased first", "loading\x1b[2K\rok\r\n", "ok\n"},
		{"erased by blanks", "abc\r   \rx\r\n", "x  \n"},
		{"backspace", "abc\b\bX\r\n", "aXc\n"},
		{"backspace erases", "abc\b \b\r\n", "ab \n"},
		{"backspace at the beginning", "\b\bab\r\n", "ab\n"},
		{"spinner", "|\b/\b-\b\\\bdone\r\n", "done\n"},
		{"EL 0 at the end", "abc\x1b[K\r\n", "abc\n"},
		{"EL 0", "abcdef\x1b[3D\x1b[K\r\n", "abc\n"},
		{"EL 1", "abcdef\x1b[3D\x1b[1K\r\n", "    ef\n"},
		{"EL 2 keeps the column", "abc\x1b[2Kx\r\n", "   x\n"},
		{"ED 0 on the last line", "abc\r\x1b[Jx\r\n", "x\n"},
		{"CUF", "a\x1b[3Cb\r\n", "a   b\n"},
		{"CUB", "abc\x1b[2Dx\r\n", "axc\n"},
		{"CUB too far", "abc\x1b[99Dx\r\n", "xbc\n"},
		{"CHA", "abc\x1b[2Gx\x1b[Gy\r\n", "yxc\n"},
		{"HPA", "\x1b[5`x\r\n", "    x\n"},
		{"DCH", "abcdef\r\x1b[2Px\r\n", "xdef\n"},
		{"ICH", "abc\r\x1b[2@x\r\n", "x abc\n"},
		{"ICH pushes out", "abcd\r\x1b[999@x\r\n", "x" + strings.Repeat(" ", 199) + "\n"},
		{"ECH", "abcdef\r\x1b[2Xx\r\n", "x cdef\n"},
		{"fish", "~> \x1b[K\r\x1b[3Cls\r\n", "~> ls\n"},
		{"tab over text moves", "abc\r\tx\r\n", "abc     x\n"},
		{"tab overwritten", "a\tb\r12\r\n", "12      b\n"},
		{"tab in an overwritten line", "a\tb\rx\r\n", "x\tb\n"},

		{"wide", "日本\rx\r\n", "x 本\n"},
		{"wide over narrow", "abcd\r日\r\n", "日cd\n"},
		{"wide over half of wide", "日本\rx日\r\n", "x日 \n"},
		{"wide, its second half overwritten", "日本\x1b[3Dx\r\n", " x本\n"},
		{"combining", "e\u0301a\rX\r\n", "Xa\n"},
		{"combining on the overwritten", "ab\re\u0301\r\n", "e\u0301b\n"},
		{"combining at the beginning", "ab\r\u0301x\r\n", "\u0301xb\n"},
		{"invalid UTF-8", "\xff\xfe\x80a\r\n", "\xff\xfe\x80a\n"},
		{"invalid UTF-8 overwritten", "\xffab\rx\r\n", "xab\n"},
		{"invalid UTF-8 in an overwritten line", "abc\rx\xe6\x97y\r\n", "x\xe6\x97y\n"},
		{"unfinished UTF-8", "abc\rx\xe6", "x\xe6c"},
		{"a character is not finished after a sequence", "\xe4\xb8\x1b[3C\x80Y\r\n", "\xe4\xb8   \x80Y\n"},
		{"a character is not finished after a sequence, overwritten", "abc\r\xe4\xb8\x1b[1D\x80\r\n", "\xe4\x80c\n"},
		{"control characters stay", "a\a\x00\x0e\x0fb\v\f\x7f\r\n", "a\a\x00\x0e\x0fb\v\f\x7f\n"},
		{"control characters take no column", "a\ab\rxy\r\n", "xy\n"},
		{"bell at the beginning", "ab\r\ax\r\n", "\axb\n"},

		{"SGR", "\x1b[1;31mred\x1b[0m\r\n", "red\n"},
		{"title", "a\x1b]0;t\ab\x1b]2;u\x1b\\c\r\n", "abc\n"},
		{"title ended by the 8-bit ST", "a\x1b]0;t\x9cb\r\n", "ab\n"},
		{"title with a character that has its byte", "a\x1b]0;\u271c\u00dc\u201c\ab\r\n", "ab\n"},
		{"modes", "\x1b[?25la\x1b[?2004h\x1b[?1049lb\x1b[?25h\r\n", "ab\n"},
		{"character sets", "\x1b(Ba\x1b)0b\x1b%G\x1b=\x1b>c\r\n", "abc\n"},
		{"cursor style, kitty, modifyOtherKeys", "\x1b[2 q\x1b[>4;1m\x1b[?u\x1b[>1ua\r\n", "a\n"},
		{"DCS, APC, PM, SOS", "a\x1bP1$r\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde"},
		{"string ended by CAN", "a\x1b]0;t\x18b", "ab"},
		{"string ended by LF", "a\x1b]0;t\nb", "a\nb"},
		{"DCS whose beginning is ended by LF", "a\x1bP1\nb", "a\nb"},
		{"malformed DCS ended by LF", "a\x1bP1<q\nb\r\nc", "a\nb\nc"},
		{"string ended by a sequence", "a\x1b]0;t\x1b[1mb", "ab"},
		{"sequence cut off by another one", "\x1b[2\x1b[Ka\rb\r\n", "b\n"},
		{"sequence ended by CAN", "a\x1b[12\x18b", "ab"},
		{"sequence with LF inside", "a\x1b[12\nb", "a\n"},
		{"sequence ended by UTF-8", "a\x1b[é", "aé"},
		{"sequence ended by ESC", "a\x1b[1\x1b[31mb\x1b\x1b[mc", "abc"},
		{"unfinished sequence", "a\x1b[1", "a"},
		{"unfinished string", "a\x1b]0;t", "a"},
		{"CR, then sequences, then LF", "abc\r\x1b[?2004l\x1b[m\r\nx", "abc\nx"},
		{"C1 controls in UTF-8 are what was written", "\u009b1mx\u009fy\u0085", "\u009b1mx\u009fy\u0085"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.in), func(pieces ...[]byte) {
				require.Equal(t, tt.want, render(Options{StripANSI: true}, pieces...), "%q", pieces)
			})
		})
	}
}

func TestKeptSequences(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain line", "\x1b[31mred\x1b[0m\r\n", "\x1b[31mred\x1b[0m\n"},
		{"other sequences", "a\x1b]0;t\ab\x1b(B\x1b[?25h\r\n", "a\x1b]0;t\ab\x1b(B\x1b[?25h\n"},
		{"erase at the end is resolved", "\x1b[31mred\x1b[m\x1b[K\r\n", "\x1b[31mred\x1b[m\n"},
		{"colors follow their characters", "\x1b[31mabc\x1b[m\r\x1b[32mX\x1b[m\r\n", "\x1b[32mX\x1b[m\x1b[31mbc\x1b[m\n"},
		{"progress", "\x1b[31m 1%\x1b[m\r\x1b[32m99%\x1b[m\r\n", "\x1b[32m99%\x1b[m\n"},
		{"color from the line before", "\x1b[1mx\r\nabc\rX\r\n", "\x1b[1mx\nXbc\n"},
		{"color after the line", "abc\r\x1b[1mX\r\ny", "\x1b[1mX\x1b[mbc\x1b[1m\ny"},
		{"reset and set in one", "\x1b[1;4ma\x1b[0;31mb\rX\x1b[m\r\n", "\x1b[0;31mXb\x1b[m\n"},
		{"title on an overwritten line", "ab\r\x1b]0;t\aX\r\n", "\x1b]0;t\aXb\n"},
		{"cut off by one that is resolved", "\x1b[2\x1b[Ka\rb\r\n", "b\n"},
		{"cut off by one that is resolved, before text", "x\x1b[2\x1b[Ka\r\n", "xa\n"},
		{"cut off by one that is kept", "\x1b[2\x1b[1ma\r\n", "\x1b[1ma\n"},
		{"cut off on an overwritten line", "ab\rc\x1b[2\x1b[Kd\r\n", "cd\n"},
		{"unfinished", "a\x1b[3", "a"},
		{"unfinished escape", "a\x1b", "a"},
		{"unfinished string", "a\x1b]0;t", "a"},
		{"unfinished beginning of a DCS", "a\x1bP1;2", "a"},
		{"title ended by LF", "a\x1b]0;t\nb", "a\nb"},
		{"title ended by LF on an overwritten line", "ab\rc\x1b]0;t\nd", "cb\nd"},
		{"title ended by CAN", "a\x1b]0;t\x18b", "a\x18b"},
		{"title ended by a sequence that is resolved", "a\x1b]0;t\x1b[Kb\r\n", "a\x1b]0;t\x1b\\b\n"},
		{"title ended by a sequence that is kept", "a\x1b]0;t\x1b[1mb\r\n", "a\x1b]0;t\x1b\\\x1b[1mb\n"},
		{"title ended by the 8-bit ST", "a\x1b]0;t\x9cb", "a\x1b]0;t\x1b\\b"},
		{"DCS, APC, PM and SOS ended by LF", "a\x1bPr1\nb\x1b_x\nc\x1b^x\nd\x1bXx\ne", "a\nb\nc\nd\ne"},
		{"line feeds of an image", "a\x1bPq1$\n2\n\x1b\\b", "a\x1bPq1$\n2\n\x1b\\b"},
		{"line feeds of an image that tmux passes on", "a\x1bPtmux;\x1b\x1bPq1$\n2\n\x1b\x1b\\\x1b\\b", "a\x1bPtmux;\x1b\x1bPq1$\n2\n\x1b\x1b\\\x1b\\b"},
		{"another string that tmux passes on, ended by LF", "a\x1bPtmux;\x1b\x1b]0;t\nb\r\nc", "a\nb\nc"},
		{"what tmux passes on", "a\x1bPtmux;\x1b\x1b]52;c;QQ==\a\x1b\\b", "a\x1bPtmux;\x1b\x1b]52;c;QQ==\a\x1b\\b"},
		{"a control within an introducer", "\x1b\a]0;t\ab", "\a\x1b]0;t\ab"},
		{"malformed DCS ended by LF", "a\x1bP1<q1\nb\r\nc", "a\nb\nc"},
		{"DCS, APC, PM and SOS", "a\x1bPq1\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "a\x1bPq1\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.in), func(pieces ...[]byte) {
				require.Equal(t, tt.want, render(Options{}, pieces...), "%q", pieces)
			})
		})
	}
}

// A program that saves the cursor and restores it at once addresses nothing: colors stay.
func TestSavedAndRestoredAtOnce(t *testing.T) {
	in := "\x1b[31mred\x1b[0m\r\n\x1b7\x1b8\x1b[32mgreen\x1b[0m\r\n"
	testkit.EachSplit([]byte(in), func(pieces ...[]byte) {
		require.Equal(t, "\x1b[31mred\x1b[0m\n\x1b[32mgreen\x1b[0m\n", render(Options{}, pieces...), "%q", pieces)
	})
}

func TestScreen(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"clear at the start", "\x1b[H\x1b[2Jhello\r\n", "hello\n"},
		{"clear at the start, scrollback too", "\x1b[H\x1b[2J\x1b[3Jhello\r\n", "hello\n"},
		{"clear, then home", "\x1b[2J\x1b[1;1Ha\x1b[K\r\n", "a\n"},
		{"cursor up and redraw", "1 wait\r\n\x1b[A\x1b[2K1 done\r\n", "1 wait\n1 done\n"},
		{"addressed", "first\r\n\x1b[2;3Hx\x1b[1;1Hy", "first\ny\n  x"},
		{"unfinished line goes along", "ab\x1b[A\rX", "Xb"},
		{"overwritten line goes along", "abc\rX\x1b[5;1Hz", "Xbc\n\n\n\nz"},
		{"a wrapped line is one line", "\x1b7\x1b[m\x1b8" + strings.Repeat("0123456789", 50) + "\r\nend", strings.Repeat("0123456789", 50) + "\nend"},
		{"tabs stay tabs", "\x1b7\x1b[m\x1b8a\tb\t\tc\r\n\td\t\r\n", "a\tb\t\tc\n\td\t\n"},
		{"a tab that was written into is blanks", "\x1b7\tx\x1b[3Dy", "      y x"},
		{"the last line end stays", "ab\x1b[999;999H\r\n", "ab\n"},
		{"alternate screen is left", "a\r\n\x1b[?1049h\x1b[Hvi\x1b[?1049lb\r\n", "a\nb\n"},
		{"scrolled off", "\x1b[5;1H1\r\n2\r\n3\r\n4", "\n\n\n\n1\n2\n3\n4"},
		{"saved cursor", "\x1b7abc\x1b8x", "xbc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.in), func(pieces ...[]byte) {
				require.Equal(t, tt.want, render(Options{Cols: 20, Rows: 5, StripANSI: true}, pieces...), "%q", pieces)
			})
		})
	}
}

// TestGolden renders testdata/<case>.in: <case>.out is without escape
// sequences, <case>.kept with them.
func TestGolden(t *testing.T) {
	ins, err := filepath.Glob("testdata/*.in")
	require.NoError(t, err)
	require.NotEmpty(t, ins)
	for _, in := range ins {
		for ext, o := range map[string]Options{".out": {StripANSI: true}, ".kept": {}} {
			name := strings.TrimSuffix(in, ".in") + ext
			t.Run(filepath.Base(name), func(t *testing.T) {
				raw, err := os.ReadFile(in)
				require.NoError(t, err)
				got := render(o, raw)
				if *update {
					require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
				}
				want, err := os.ReadFile(name)
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
			})
		}
	}
}

func TestOneEmitForEachWrite(t *testing.T) {
	var emitted []string
	r := New(Options{StripANSI: true, Fault: failing}, func(b []byte) { emitted = append(emitted, string(b)) })
	r.Write([]byte("a\r\nb\r\nc"))
	assert.Equal(t, []string{"a\nb\n"}, emitted)
	assert.Equal(t, "c", string(r.Pending()))
	r.Write([]byte("\rd"))
	assert.Equal(t, "d", string(r.Pending()))
	r.FlushPending()
	assert.Empty(t, r.Pending())
	r.Write([]byte("\re"))
	r.Close()
	assert.Equal(t, []string{"a\nb\n", "d", "e"}, emitted)
	r.Write([]byte("again\n"))
	assert.Equal(t, "again\n", emitted[3])
}

func TestPendingOnScreen(t *testing.T) {
	r := New(Options{Cols: 20, Rows: 5, Fault: failing}, func([]byte) {})
	r.Write([]byte("a\x1b[3;1Hb"))
	r.FlushPending()
	assert.Equal(t, "a\n\nb", string(r.Pending()))
}

func TestOverlongLines(t *testing.T) {
	for name, line := range map[string]string{
		"plain":       strings.Repeat("x", 3*maxLine+10),
		"overwritten": "ab\r" + strings.Repeat("x", 3*maxLine),
		"inserted":    "ab\r" + strings.Repeat("\x1b[99@", 1000),
		"escapes":     strings.Repeat("\x1b]0;"+strings.Repeat("t", 9000)+"\a", 20),
	} {
		t.Run(name, func(t *testing.T) {
			in := []byte(line + "\rEND\n")
			want := render(Options{}, in)
			require.Contains(t, want, "END")
			for _, step := range []int{1, 1000, maxLine - 1, maxLine, maxLine + 1} {
				var out bytes.Buffer
				r := New(Options{Fault: failing}, func(b []byte) { out.Write(b) })
				for rest := in; len(rest) > 0; rest = rest[min(step, len(rest)):] {
					r.Write(rest[:min(step, len(rest))])
					if r.column() >= maxLine || r.cells != nil && len(r.cells.cells) >= 6*maxLine {
						t.Fatalf("%d bytes of the line are kept", r.column())
					}
				}
				r.Close()
				require.True(t, want == out.String(), "step %d", step)
			}
		})
	}
}

func TestLongSequencesPassWhole(t *testing.T) {
	in := "a\x1b]52;c;" + strings.Repeat("A", 3*vt.MaxString) + "\x1b\\b"
	assert.True(t, in == render(Options{}, []byte(in)))
	assert.Equal(t, "ab", render(Options{StripANSI: true}, []byte(in)))
	overlong := "a\x1b[" + strings.Repeat("1;", 10000) + "mb"
	assert.Equal(t, "ab", render(Options{}, []byte(overlong)), "it has no effect")
	assert.Equal(t, "ab", render(Options{StripANSI: true}, []byte(overlong)))
}

// A long string whose beginning has been emitted is canceled or terminated in the output, too.
func TestLongStringsEnd(t *testing.T) {
	long := "a\x1b]52;c;" + strings.Repeat("A", 2*vt.MaxString)
	for end, want := range map[string]string{
		"": "\x18", "\nb": "\x18\nb", "\x18b": "\x18\x18b", "\x1b[Kb": "\x1b\\b", "\x9cb": "\x1b\\b", "\ab": "\ab",
	} {
		assert.True(t, long+want == render(Options{}, []byte(long+end)), "%q", end)
	}
}

// FuzzKeptOutputEnds holds that text after kept output is shown, whatever the output ended with.
func FuzzKeptOutputEnds(f *testing.F) {
	for _, seed := range []string{"\x1b\a]0;t\a", "a\x1b]0;t", "\x1bP1<q\x1b[K", "a\rb\x1b_x\x1b", "\x1b[2\x1b[K", "\x1b]0;t\x9c", "a\x1b[\r\x1b]0;t\x1b[C"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := render(Options{Cols: 20, Rows: 5}, in)
		terminal := vt.Parser{SevenBit: true}
		shown := ""
		show := func(tok *vt.Token) {
			if tok.Kind == vt.Text {
				shown = string(tok.Raw)
			}
		}
		terminal.Feed([]byte(out), show)
		terminal.Feed([]byte("\nEND"), show)
		require.True(t, strings.HasSuffix(shown, "\nEND"), "%q becomes %q", in, out)
	})
}

func TestTabsBeyondTheEndAreBounded(t *testing.T) {
	r := New(Options{Fault: failing}, func([]byte) {})
	r.Write([]byte("a\r\x1b[50C"))
	tabs := bytes.Repeat([]byte("\t"), 1000)
	for range 200 {
		r.Write(tabs)
		if r.cells != nil {
			require.Less(t, len(r.cells.cells), 9*maxLine)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"a\r\nb\r\r\n", "  0%\r 50%\r100%\r\n", "abc\b\bX\x1b[K\x1b[3D\x1b[1K", "\x1b[31mabc\x1b[m\r\x1b[32mX\r\n",
		"日本\rx\u0301\r\n\x1b[H\x1b[2J", "a\x1b]0;t\x1b\\\x1b7\x1b[?1049h", "\x1b[2P\x1b[3@\x1b[4X\t\r\t\x1b[5`",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, strip bool) {
		if len(in) > 60 {
			return
		}
		o := Options{Cols: 20, Rows: 5, StripANSI: strip}
		want := render(o, in)
		testkit.EachSplit(in, func(pieces ...[]byte) {
			require.Equal(t, want, render(o, pieces...), "%q", pieces)
		})
	})
}

func FuzzNeverPanics(f *testing.F) {
	f.Add([]byte("日\r\x1b[1@\x1b[K"), []byte("\b\t\x1b[2D"), true)
	f.Add([]byte("\t\x1b[A\xed"), []byte("\t\x1b[2D\xed0"), true) // a tab in the last column
	f.Fuzz(func(t *testing.T, a, b []byte, strip bool) {
		r := New(Options{Cols: 7, Rows: 3, StripANSI: strip, Fault: failing}, func([]byte) {})
		r.Write(a)
		r.Pending()
		r.FlushPending()
		r.Write(b)
		r.Close()
	})
}

// FuzzPlainIsUnchanged holds that text without control characters that move
// the cursor arrives byte for byte.
func FuzzPlainIsUnchanged(f *testing.F) {
	f.Add([]byte("a\n\n\tb\xff\a"))
	f.Add([]byte("a\u009f\u009b2C\n\u0085b\xc2")) // C1 controls in UTF-8 are text here
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.ContainsAny(in, "\r\b\x1b") {
			return
		}
		require.Equal(t, string(in), render(Options{StripANSI: true}, in))
		require.Equal(t, string(in), render(Options{}, bytes.ReplaceAll(in, []byte("\n"), []byte("\r\n"))))
	})
}

func TestPlainLinesNeedNoAllocation(t *testing.T) {
	in := bytes.Repeat([]byte("a line\twith a tab\r\n"), 200)
	r := New(Options{Fault: failing}, func([]byte) {})
	r.Write(in)
	assert.Zero(t, testing.AllocsPerRun(100, func() { r.Write(in) }))
}

func BenchmarkWrite(b *testing.B) {
	line := strings.Repeat("0123456789abc ", 5) + "78 byte\r\n"
	for _, bb := range []struct{ name, in string }{
		{"lines of 78 columns", strings.Repeat(line, 400)},
		{"one line", strings.Repeat("x", 32<<10)},
		{"colored", strings.Repeat("\x1b[1;32mok\x1b[0m "+line, 400)},
		{"progress", strings.Repeat("\r[=====     ] 50 %", 2000)},
	} {
		for _, strip := range []bool{true, false} {
			name := bb.name
			if !strip {
				name += ", kept"
			}
			b.Run(name, func(b *testing.B) {
				in := []byte(bb.in)
				n := 0
				r := New(Options{StripANSI: strip, Fault: failing}, func(b []byte) { n += len(b) })
				b.SetBytes(int64(len(in)))
				b.ReportAllocs()
				for b.Loop() {
					r.Write(in)
				}
				r.Close()
				require.NotZero(b, n)
			})
		}
	}
}
