package vt

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

func tokens(cuts bool, in string) (out []string) {
	var p Parser
	emit := func(t *Token) {
		names := [...]string{"text", "control", "escape", "csi", "osc", "dcs", "string", "invalid"}
		kind := names[t.Kind]
		if n := len(out); t.Kind == Text && n > 0 && strings.HasPrefix(out[n-1], "text ") {
			out[n-1] += string(t.Raw)
			return
		}
		if t.Inside {
			kind = "inside"
		}
		what := kind + " " + string(t.Raw)
		if t.Cancelled {
			what += " cancelled"
		}
		out = append(out, what)
	}
	if cuts {
		for i := range len(in) {
			p.Feed([]byte(in[i:i+1]), emit)
		}
	} else {
		p.Feed([]byte(in), emit)
	}
	p.Flush(emit)
	return out
}

// Single bytes from 0x80 on are parts of characters, except ST. The other cases are in
// conformance/vectors/tokens.yaml.
func TestInvalidUTF8(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"\x1b]0;t\x9c-", []string{"osc \x1b]0;t\x9c", "text -"}},
		{"a\x9b2C", []string{"text a\x9b2C"}},
		{"é日😀\xc2", []string{"text é日😀\xc2"}},
		{"\x1b[1\xffx", []string{"csi \x1b[1\xffx"}},
	} {
		assert.Equal(t, tt.want, tokens(false, tt.in), "%q", tt.in)
		assert.Equal(t, tt.want, tokens(true, tt.in), "%q, byte by byte", tt.in)
	}
}

func TestLineFeedEndsAString(t *testing.T) {
	p := Parser{LineFeedEnds: true}
	var got []string
	p.Feed([]byte("\x1b]0;title\nafter"), func(t *Token) { got = append(got, string(t.Raw)) })
	assert.Equal(t, []string{"\x1b]0;title", "\nafter"}, got)
}

// A terminator may follow a string of any length.
func TestStringsAsLongAsAPiece(t *testing.T) {
	for _, end := range []string{"\a", "\x1b\\", "\x9c", "\x18", "\x1b[m"} {
		for n := MaxString - 8; n < MaxString+8; n++ {
			in := "\x1b]0;" + strings.Repeat("x", n) + end + "after"
			for _, pieces := range [][]string{{in}, {in[:n], in[n:]}} {
				var p Parser
				var last Token
				var raw, text string
				for _, piece := range pieces {
					p.Feed([]byte(piece), func(t *Token) {
						if raw += string(t.Raw); t.Kind == OSC {
							last = *t
						} else if t.Kind == Text {
							text += string(t.Raw)
						}
					})
				}
				require.True(t, raw == in && text == "after", "%q after %d", end, n)
				require.Equal(t, end == "\x18" || end == "\x1b[m", last.Unterminated, "%q after %d", end, n)
			}
		}
	}
}

func TestSevenBitTakesC1AsText(t *testing.T) {
	in := "a\u009f\u009b2C\u0085\x1b]0;t\u009c\u009b\a\x1b[1mb\xc2"
	want := []string{"a\u009f\u009b2C\u0085", "\x1b]0;t\u009c\u009b\a", "\x1b[1m", "b\xc2"}
	p := Parser{SevenBit: true}
	var got []string
	emit := func(t *Token) { got = append(got, string(t.Raw)) }
	p.Feed([]byte(in), emit)
	p.Flush(emit)
	assert.Equal(t, want, got)
}

func TestCommandsOnly(t *testing.T) {
	p := ForText()
	p.CommandsOnly = true
	var got []string
	emit := func(t *Token) { got = append(got, string(t.Raw)) }
	p.Feed([]byte("a\x1b[1mb\x1b(0\x1bPq\x1b\\\x1b]0;t\a\x1b[m\x1b\x1b]0;u\x1b\\c\x1b"), emit)
	assert.Equal(t, []string{"a\x1b[1mb\x1b(0\x1bPq\x1b\\", "\x1b]0;t\a", "\x1b[m\x1b", "\x1b]0;u\x1b\\", "c"}, got)
}

func TestParams(t *testing.T) {
	var got Params
	parse := func(in string) {
		var p Parser
		p.Feed([]byte(in), func(t *Token) {
			if t.Params != nil {
				got = *t.Params
			}
		})
	}
	parse("\x1b[m")
	assert.Equal(t, []int{1, 0, 1}, []int{got.Len(), got.Get(0), got.Count(0)})
	parse("\x1b[;5;;7m")
	assert.Equal(t, []int{4, 0, 5, 0, 7, 0}, []int{got.Len(), got.Get(0), got.Get(1), got.Get(2), got.Get(3), got.Get(4)})
	parse("\x1b[38:2::1:2:3;4:3m")
	assert.Equal(t, []int32{2, -1, 1, 2, 3}, got.Sub(0))
	assert.Equal(t, []int32{3}, got.Sub(1))
	parse("\x1b[99999999999999999999m")
	assert.Equal(t, maxParam, got.Get(0))
	parse("\x1b[" + strings.Repeat("1;", 1000) + "m")
	assert.Equal(t, maxParams, got.Len())
	parse("\x1b[" + strings.Repeat("1:", 1000) + "m")
	assert.Len(t, got.Sub(0), maxParams)
}

// Nothing of the stream is lost or kept forever: the Raw of all tokens that are not inside another
// are its bytes, however it is split.
func TestRawIsTheStream(t *testing.T) {
	for i := range testkit.Times(t, 60, 300) {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		in := string(stream(r, 600))
		if i%3 == 0 {
			in += "\x1b]52;c;" + strings.Repeat("x", 200<<10) + "\a\x1b[" + strings.Repeat("1", 10000) + "mend"
		}
		var p Parser
		var out []byte
		emit := func(tok *Token) {
			if tok.Inside {
				require.Equal(t, in[tok.Offset:tok.Offset+1], string(tok.Raw))
				return
			}
			require.Equal(t, int64(len(out)), tok.Offset)
			require.LessOrEqual(t, len(tok.Raw), max(MaxString+2, len(in)))
			out = append(out, tok.Raw...)
		}
		for rest := []byte(in); len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			p.Feed(rest[:n], emit)
			rest = rest[n:]
		}
		p.Flush(emit)
		require.Equal(t, in, string(out))
		require.Equal(t, tokens(false, in), tokens(true, in), "byte by byte")
	}
}

// So it is where a sequence becomes too long to be kept, also in the middle of a character or of what only begins like one.
func TestRawIsTheStreamOfALongSequence(t *testing.T) {
	for _, begin := range []string{"\x1b", "\x1b[", "\x1b[1?", "\x1bP", "\x1bP1?"} {
		for _, char := range []string{"\x80", "\xe8", "\xe2\x82", "\xf0\x9f\x98", "\xef\xbb\xbf", "é", "日", "\xc2\x85"} {
			for blanks := range 6 {
				in := begin + strings.Repeat(" ", blanks) + strings.Repeat(char, maxSequence) + "mend"
				for _, sevenBit := range []bool{false, true} {
					p := Parser{SevenBit: sevenBit}
					var out []byte
					emit := func(tok *Token) {
						require.Equal(t, int64(len(out)), tok.Offset, "%q with %d blanks and %q", begin, blanks, char)
						out = append(out, tok.Raw...)
					}
					p.Feed([]byte(in), emit)
					p.Flush(emit)
					require.True(t, in == string(out), "%q with %d blanks and %q", begin, blanks, char)
				}
			}
		}
	}
}

func FuzzScreen(f *testing.F) {
	for i := range 20 {
		f.Add(stream(rand.New(rand.NewPCG(1, uint64(i))), 200), uint8(i))
	}
	for i := range 20 {
		f.Add(clusterStream(rand.New(rand.NewPCG(2, uint64(i))), 200), uint8(i))
	}
	f.Add([]byte("\t0"), uint8(5))
	f.Fuzz(func(t *testing.T, in []byte, cut uint8) {
		o := Options{Cols: 20, Rows: 5, History: 20}
		s, pieces := New(o), New(o)
		s.Write(in)
		n := min(int(cut), len(in))
		pieces.Write(in[:n])
		pieces.Write(in[n:])
		require.Equal(t, dump(s), dump(pieces))
		again := New(o)
		again.Write(s.AppendANSI(nil))
		require.Equal(t, rows(s), rows(again)) // as displayed: a tab is the blanks that it left
		for _, size := range [][2]int{{7, 3}, {40, 10}, {2, 1}, {20, 5}} {
			s.Resize(size[0], size[1])
			x, y := s.Cursor()
			cols, rows := s.Size()
			require.True(t, x >= 0 && x <= cols && y >= 0 && y < rows, "cursor %d %d", x, y)
			s.Write([]byte("x\r\n"))
			_ = s.AppendANSI(nil)
		}
	})
}

func rows(s *Screen) (all []string) {
	_, n := s.Size()
	for y := range n {
		text, _ := s.Row(y)
		all = append(all, text)
	}
	return all
}

// Hostile inputs of 64 KB, the worst of each kind: see BenchmarkHostile.
var hostile = map[string]string{
	"clear":                 "\x1b[2J",
	"reset":                 "\x1bc",
	"alternate":             "\x1b[?1049h\x1b[?1049l",
	"align":                 "\x1b#8",
	"repeat":                "a\x1b[99999b",
	"insert lines":          "\x1b[999L",
	"insert":                "\x1b[@",
	"aligned, inserted":     "\x1b#8\x1b['}",
	"aligned, removed":      "\x1b#8\x1b['~",
	"aligned, far right":    "\x1b#8\x1b[999C\x1b['}",
	"aligned, selective":    "\x1b#8\x1b[?2J",
	"within margins":        "\x1b[2r\x1b[99d" + strings.Repeat("\n", 50),
	"repeat within margins": "\x1b[2;49ra\x1b[99999b",
	"scroll":                "\x1b[S\x1b[T",
	"insert columns":        "\x1b[C\x1b['}",
	"tabs":                  "\x1b[H\x1b[9999I\x1b[9999Z",
	"combining":             "e\u0301\u0302\u0303",
	"one long cluster":      "\u0301",
	"colors":                "\x1b[38;2;1;2;3mx",
	"unfinished":            "\x1b]0;",
	"controls":              "\u0085",
	"huge":                  "\x1b[999999999999999999999X\x1b[999999999999C",
}

// The work for any 64 KB of input is bounded. The test counts written cells, not time.
func TestHostileOutputIsBounded(t *testing.T) {
	const cols, rows, limit = 200, 50, 100
	for name, piece := range hostile {
		s := New(Options{Cols: cols, Rows: rows, History: limit})
		s.Write([]byte(strings.Repeat(piece, 64<<10/len(piece))))
		require.LessOrEqual(t, s.History(), limit, name)
		require.LessOrEqual(t, len(s.AppendText(nil)), cols*rows*(maxCluster+1), name)
		require.LessOrEqual(t, len(s.clusters.text), 2*cols*(rows+limit)+minClusters, name)
		require.LessOrEqual(t, len(s.parser.raw), MaxString, name)
		require.LessOrEqual(t, len(s.Title()), maxTitle, name)
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, piece := range hostile {
		b.Run(name, func(b *testing.B) {
			fill := []byte(strings.Repeat(strings.Repeat("0123456789", 20)+"\r\n", 50))
			in := []byte(strings.Repeat(piece, 64<<10/len(piece)))
			s := New(Options{Cols: 200, Rows: 50, History: 1000})
			for b.Loop() {
				s.Write(fill)
				s.Write(in)
			}
		})
	}
}

// Typical output: lines, colored output of a test runner, and international text.
var printed = map[string]string{
	"plain":   strings.Repeat(strings.Repeat("0123456789abc ", 5)+"78 byte\r\n", 1000),
	"colored": strings.Repeat("\x1b[32mok\x1b[0m  \x1b[1mTestSomething\x1b[0m \x1b[38;5;244m(0.00s)\x1b[0m path/to/file.go:\x1b[33m12\x1b[0m\r\n", 1000),
	"unicode": strings.Repeat("日本語のテキスト│─┼ üé 😀\r\n", 1000),
}

func BenchmarkScreen(b *testing.B) {
	for name, in := range printed {
		b.Run(name, func(b *testing.B) {
			s := New(Options{Cols: 200, Rows: 50, History: 1000})
			b.SetBytes(int64(len(in)))
			data := []byte(in)
			for b.Loop() {
				s.Write(data)
			}
		})
	}
}

func BenchmarkParser(b *testing.B) {
	for name, in := range printed {
		b.Run(name, func(b *testing.B) {
			var p Parser
			n := 0
			b.SetBytes(int64(len(in)))
			data := []byte(in)
			for b.Loop() {
				p.Feed(data, func(t *Token) { n += len(t.Raw) })
			}
		})
	}
}

func TestStrip(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                              "plain",
		"\x1b[1;31mred\x1b[m":                "red",
		"a\x1b]0;title\ab\x1b]8;;u\x1b\\c":   "abc",
		"a\x1bPq#1\x1b\\b\x1b_x\x1b\\c":      "abc",
		"\x1b(B\x1b7\x1b#8x":                 "x",
		"a\x1b[1\n2Cb":                       "a\nb",
		"\x1b[3é":                            "é",
		"title\x1b]0;without end\nnext line": "title\nnext line",
		"cut off\x1b[3":                      "cut off",
		"\u009b31m stays, as do \a and \xff": "\u009b31m stays, as do \a and \xff",
	} {
		assert.Equal(t, want, Strip(in), "%q", in)
	}
}

// The streams that other implementations are measured with, too: testdata/recorded.
func BenchmarkRecorded(b *testing.B) {
	files, err := filepath.Glob("testdata/recorded/*")
	require.NoError(b, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(b, err)
		s, n := New(Options{Cols: 200, Rows: 50, History: 1000}), 0
		var p Parser
		for name, feed := range map[string]func(){
			"screen":    func() { s.Write(data) },
			"tokenizer": func() { p.Feed(data, func(t *Token) { n += len(t.Raw) }) },
		} {
			b.Run(filepath.Base(file)+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					feed()
				}
			})
		}
	}
}
