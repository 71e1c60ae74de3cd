package prompt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// events feeds the pieces and writes down what came, adjacent text joined:
// text as Go string literals, markers as <protocol code param|param>.
func events(pieces ...[]byte) (log string) {
	var b strings.Builder
	var text []byte
	flush := func() {
		if len(text) > 0 {
			fmt.Fprintf(&b, "%q", text)
			text = text[:0]
		}
	}
	var p Markers
	onText := func(t []byte) {
		if len(t) == 0 {
			panic("empty text")
		}
		text = append(text, t...)
	}
	for _, piece := range pieces {
		p.Feed(piece, onText, func(m Marker) {
			flush()
			fmt.Fprintf(&b, "<%d%c %s>", m.Protocol, m.Code, strings.Join(m.Params, "|"))
		})
	}
	p.Flush(onText)
	flush()
	return b.String()
}

func TestWireForms(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text", "a\r\nb", `"a\r\nb"`},
		{"633 A BEL", "\x1b]633;A\a", `<633A >`},
		{"633 A ST", "\x1b]633;A\x1b\\", `<633A >`},
		{"133 A BEL", "\x1b]133;A\a", `<133A >`},
		{"133 A with FinalTerm options", "\x1b]133;A;cl=m;aid=7\a", `<133A cl=m|aid=7>`},
		{"633 D with exit code and nonce", "\x1b]633;D;130;cafe\a", `<633D 130|cafe>`},
		{"633 D with empty exit code", "\x1b]633;D;\a", `<633D >`},
		{"633 P Cwd with semicolon", "\x1b]633;P;Cwd=/a;b;cafe\a", `<633P Cwd=/a|b|cafe>`},
		{"633 E keeps its escapes", "\x1b]633;E;a\\x3bb\\\\c\a", `<633E a\x3bb\\c>`},
		{"7 file URI", "\x1b]7;file://h/tmp\x1b\\", `<77 file://h/tmp>`},
		{"7 empty", "\x1b]7;\a", `<77 >`},
		{"UTF-8 in the payload", "\x1b]633;P;Cwd=/é\u009c/日本\a", `<633P Cwd=/é` + "\u009c" + `/日本>`},
		{"text around and between", "a\x1b]633;A\ab\x1b]633;B\ac", `"a"<633A >"b"<633B >"c"`},
		{"back to back", "\x1b]633;D;0\a\x1b]633;A\a", `<633D 0><633A >`},

		{"other OSC, BEL", "\x1b]0;title\ax", `"\x1b]0;title\ax"`},
		{"other OSC, ST", "\x1b]8;;u\x1b\\x", `"\x1b]8;;u\x1b\\x"`},
		{"other number with our prefix: 777", "\x1b]777;notify\a", `"\x1b]777;notify\a"`},
		{"other number with our prefix: 6331", "\x1b]6331;A\a", `"\x1b]6331;A\a"`},
		{"other number with our prefix: 63", "\x1b]63;A\a", `"\x1b]63;A\a"`},
		{"leading zero", "\x1b]0633;A\a", `"\x1b]0633;A\a"`},
		{"CSI", "\x1b[1;31mred\x1b[m", `"\x1b[1;31mred\x1b[m"`},
		{"8-bit introducer", "\x9d633;A\a", `"\x9d633;A\a"`},
		{"8-bit introducer as UTF-8", "\u009d633;A\a", `"\u009d633;A\a"`},
		{"8-bit ST does not end it", "\x1b]633;A\x9c\a", `"\x1b]633;A\x9c\a"`},
		{"invalid UTF-8", "\xff\xfe\xc3", `"\xff\xfe\xc3"`},

		{"633 without a letter", "\x1b]633;\a", `"\x1b]633;\a"`},
		{"633 without anything", "\x1b]633\a", `"\x1b]633\a"`},
		{"633 lower case letter", "\x1b]633;a\a", `"\x1b]633;a\a"`},
		{"633 A extra contents", "\x1b]633;Ax\a", `"\x1b]633;Ax\a"`},
		{"633 A extra contents, ST", "\x1b]633;A \x1b\\", `"\x1b]633;A \x1b\\"`},
		{"633 SetMark, a word", "\x1b]633;SetMark;Id=1\a", `"\x1b]633;SetMark;Id=1\a"`},

		{"aborted by CAN", "\x1b]633;A\x18\a", `"\x1b]633;A\x18\a"`},
		{"aborted by SUB", "\x1b]633;A\x1a\a", `"\x1b]633;A\x1a\a"`},
		{"aborted by newline", "\x1b]633;A\n\a", `"\x1b]633;A\n\a"`},
		{"aborted by NUL", "\x1b]7;\x00x\a", `"\x1b]7;\x00x\a"`},
		{"aborted by CSI", "\x1b]633;A\x1b[m\a", `"\x1b]633;A\x1b[m\a"`},
		{"aborted by another marker", "\x1b]633;A\x1b]633;B\a", `"\x1b]633;A"<633B >`},
		{"aborted in the introducer by another marker", "\x1b]6\x1b]633;B\a", `"\x1b]6"<633B >`},
		{"a byte in the introducer", "\x1b\xfc]7;\a", `"\x1b\xfc]7;\a"`},
		{"a control in the introducer", "\x1b\n]7;\a", `"\x1b\n]7;\a"`},
		{"ESC ESC marker", "\x1b\x1b]633;B\a", `"\x1b"<633B >`},
		{"ESC ESC ST is not a terminator", "\x1b]633;A\x1b\x1b\\", `"\x1b]633;A\x1b\x1b\\"`},
		{"inside another OSC", "\x1b]0;t\x1b]633;B\a", `"\x1b]0;t"<633B >`},

		{"unfinished ESC", "a\x1b", `"a\x1b"`},
		{"unfinished introducer", "a\x1b]63", `"a\x1b]63"`},
		{"unfinished payload", "a\x1b]633;D;1", `"a\x1b]633;D;1"`},
		{"unfinished ST", "a\x1b]633;D;1\x1b", `"a\x1b]633;D;1\x1b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.in), func(pieces ...[]byte) {
				got := events(pieces...)
				require.Equal(t, tt.want, got, "%q", pieces)
			})
		})
	}
}

// A sequence that is too long for a marker is output of the program, to its last byte.
func TestOverlongIsText(t *testing.T) {
	long := "\x1b]633;E;" + strings.Repeat("x", maxMarker)
	text := func(s string) string { return fmt.Sprintf("%q", s) }
	for _, tt := range []struct{ name, in, want string }{
		{"to BEL", "a" + long + "\ab", text("a" + long + "\ab")},
		{"to ST", "a" + long + "\x1b\\b", text("a" + long + "\x1b\\b")},
		{"to CAN", long + "\x18b", text(long + "\x18b")},
		{"to newline", long + "\nb", text(long + "\nb")},
		{"to CSI", long + "\x1b[mb", text(long + "\x1b[mb")},
		{"to a marker", long + "\x1b]633;A\ab", text(long) + `<633A >"b"`},
		{"to the end", "a" + long, text("a" + long)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			for _, cut := range []int{0, 1, 5, maxMarker - 1, maxMarker, maxMarker + 1, maxMarker + 8, maxMarker + 9, maxMarker + 10, maxMarker + 11} {
				cut = min(cut, len(in))
				got := events(in[:cut], in[cut:])
				require.Equal(t, tt.want, got, "cut at %d", cut)
			}
		})
	}
}

func TestLongestThatFits(t *testing.T) {
	body := strings.Repeat("x", maxMarker-1-len("\x1b]633;E;"))
	for _, end := range []string{"\a", "\x1b\\"} {
		in := []byte("\x1b]633;E;" + body + end)
		for _, cut := range []int{0, 1, 100, maxMarker - 1, maxMarker} {
			got := events(in[:cut], in[cut:])
			require.True(t, got == "<633E "+body+">", "end %q, cut at %d", end, cut)
		}
	}
}

func TestRawIsTheReceivedBytes(t *testing.T) {
	in := []byte("\x1b]633;D;1;n\x1b\\")
	testkit.EachSplit(in, func(pieces ...[]byte) {
		var p Markers
		var raw []byte
		for _, piece := range pieces {
			p.Feed(piece, func(b []byte) { t.Errorf("text %q", b) }, func(m Marker) { raw = append(raw, m.Raw...) })
		}
		require.Equal(t, in, raw)
	})
}

// Only an unfinished command is held back, and a line feed ends it.
func TestTextIsNotHeldBack(t *testing.T) {
	var p Markers
	var got []byte
	feed := func(s string) string {
		got = got[:0]
		p.Feed([]byte(s), func(b []byte) { got = append(got, b...) }, func(Marker) {})
		return string(got)
	}
	assert.Equal(t, "a", feed("a\x1b"), "ESC may begin a marker")
	assert.Equal(t, "\x1b[mb", feed("[mb"), "it did not")
	assert.Equal(t, "\x1b[3", feed("\x1b[3"))
	assert.Equal(t, "", feed("\x1b]1"))
	assert.Equal(t, "", feed(";title"))
	assert.Equal(t, "\x1b]1;title\nb", feed("\nb"))
	p.Feed([]byte("\x1b]6"), func([]byte) {}, func(Marker) {})
	p.Flush(func(b []byte) { assert.Equal(t, "\x1b]6", string(b)) })
	assert.Equal(t, "33;A\a", feed("33;A\a"), "after Flush the candidate is over")
}

func TestTextNeedsNoAllocation(t *testing.T) {
	in := bytes.Repeat([]byte("\x1b[32mok\x1b[m plain text\r\n"), 100)
	var p Markers
	n := testing.AllocsPerRun(100, func() {
		p.Feed(in[:7], func([]byte) {}, func(Marker) {})
		p.Feed(in[7:], func([]byte) {}, func(Marker) {})
	})
	assert.Zero(t, n)
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		``: ``, `plain`: `plain`, `a\x3bb`: `a;b`, `\x0A\x0a`: "\n\n", `C:\\x`: `C:\x`, `C:\dir`: `C:\dir`,
		`\\x3b`: `\x3b`, `\x`: `\x`, `\x3`: `\x3`, `\xg0`: `\xg0`, `\`: `\`, `é\xc3\xa9`: `éé`,
	} {
		assert.Equal(t, want, unescape(in), in)
	}
}

// FuzzSplit holds that cutting the stream changes nothing, and that text
// and raw markers together are the stream.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"a\x1b]633;A\ab", "\x1b]133;D;1\x1b\\", "\x1b]7;file:///\a", "\x1b]633;A\x1b]633;B\a", "\x1b]6\x18\x1b\x1b]7;\a",
		"\x1b]633;E;" + strings.Repeat("x", maxMarker) + "\x1b\\z",
	} {
		f.Add([]byte(seed), uint(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint) {
		if len(in) > 3*maxMarker {
			return
		}
		want := events(in)
		check := func(pieces ...[]byte) {
			got := events(pieces...)
			require.Equal(t, want, got, "%q", pieces)
		}
		if len(in) < 200 {
			testkit.EachSplit(in, check)
		} else {
			at := int(step % uint(len(in)))
			check(in[:at], in[at:])
		}
		var p Markers
		var all []byte
		keep := func(b []byte) { all = append(all, b...) }
		p.Feed(in, keep, func(m Marker) { keep(m.Raw) })
		p.Flush(keep)
		require.True(t, bytes.Equal(in, all))
	})
}

func BenchmarkMarkers(b *testing.B) {
	line := strings.Repeat("0123456789abc ", 5) + "78 byte\n"
	for _, bb := range []struct{ name, in string }{
		{"plain", strings.Repeat(line, 400)},
		{"colored", strings.Repeat("\x1b[1;32mok\x1b[0m "+line, 400)},
		{"marker per line", strings.Repeat(line+"\x1b]633;D;0;0123456789abcdef\a", 400)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			in := []byte(bb.in)
			var p Markers
			n := 0
			text, marker := func(t []byte) { n += len(t) }, func(m Marker) { n += len(m.Raw) }
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				p.Feed(in, text, marker)
			}
			require.Equal(b, b.N*len(in), n)
		})
	}
}
