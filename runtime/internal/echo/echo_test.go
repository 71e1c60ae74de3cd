package echo

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// strip runs the pieces through a stripper.
func strip(c Config, pieces ...[]byte) (out string, matched bool) {
	s := New(c)
	var b strings.Builder
	for _, p := range pieces {
		b.Write(s.Feed(p))
	}
	b.Write(s.Flush())
	return b.String(), s.Matched()
}

// none marks the cases in which no echo is recognized: everything is output.
const none = "\x00none"

func TestDeterministic(t *testing.T) {
	for _, tt := range []struct{ name, sent, stream, output string }{
		{"kernel echo", "1+1\n", "1+1\r\n2\r\n", "2\r\n"},
		{"nothing follows", "x\n", "x\r\n", ""},
		{"output begins like the echo", "echo echo\n", "echo echo\r\necho\r\n", "echo\r\n"},
		{"output is the echo again", "cat\n", "cat\r\ncat\r\n", "cat\r\n"},
		{"carriage return sent", "1+1\r", "1+1\r\n2\r\n", "2\r\n"},
		{"CR LF sent", "1+1\r\n", "1+1\r\n2\r\n", "2\r\n"},
		{"newline echoed alone", "1+1\n", "1+1\n2\n", "2\n"},
		{"CR CR LF", "1+1\n", "1+1\r\r\n2", "2"},
		{"without a line end", "abc", "abcdef", "def"},
		{"two lines", "a\nb\n", "a\r\nb\r\n1\r\n", "1\r\n"},
		{"empty line", "\n", "\r\n> ", "> "},
		{"control bytes", "a\x03\x7f\n", "a^C^?\r\nb", "b"},
		{"control bytes without an echo", "\x15ls\n", "ls\r\nb", "b"},
		{"only a control byte", "\x03", "^C\r\nb", "\r\nb"},
		{"only a control byte, no echo", "\x03", "\r\nb", none},
		{"tab", "\tx\n", "\tx\r\nb", "b"},
		{"tab as spaces", "\tx\n", "        x\r\nb", "b"},
		{"UTF-8", "é日本\n", "é日本\r\nb", "b"},
		{"colors", "echo\n", "\x1b[32mec\x1b[0mho\x1b[m\r\nb", "b"},
		{"bracketed paste off", "ls\n", "ls\r\n\x1b[?2004l\rb", "\x1b[?2004l\rb"},
		{"characters that the line editor cannot draw", "e 'ü漢🙂e\u0301?'\n", "e 'ü??e??'\r\n?x", "?x"},
		{"bracketed paste sent", "\x1b[200~a\nb\x1b[201~\n", "\x1b[7ma\r\nb\x1b[27m\r\nc", "c"},
		{"bracketed paste echoed", "\x1b[200~a\x1b[201~\n", "^[[200~a^[[201~\r\nc", "c"},
		{"title in the midst", "ls\n", "l\x1b]0;ls\as\r\nb", "b"},
		{"title with ST", "ls\n", "l\x1b]0;ls\x1b\\s\r\nb", "b"},
		{"zsh e BS echo", "echo hi\n", "e\becho hi\r\r\nhi", "hi"},
		{"wide character taken back", "日x\n", "日\b\b日x\r\nb", "b"},
		{"gsi bold and cursor left, right", "(+ 1 2)\n", "(+ 1 2)\x1b[1m\x1b[7D\x1b[7C\x1b[m\r\n3", "3"},
		{"cursor left and drawn again", "abc\n", "abc\x1b[3D\x1b[1mabc\r\n3", "3"},
		{"cursor left with the line sent", "ab\ncd\n", "ab\r\ncd\x1b[9Dcd\r\n3", "3"},
		{"readline wraps with SP CR", "abcdef\n", "abc \rdef\r\nb", "b"},
		{"zsh wraps with SP CR EL", "abcdef\n", "abc \r\x1b[Kdef\r\nb", "b"},
		{"gnuplot wraps with SP BS", "abcdef\n", "abc \bdef\r\nb", "b"},
		{"wrapped before a blank", "abc def\n", "abc \r def\r\nb", "b"},
		{"wrapped with CR LF", "abcdef\n", "abc\r\ndef\r\nb", "b"},
		{"bell", "ab\n", "a\ab\r\nb", "b"},

		{"no echo", "print(7)\n", "7\r\n", none},
		{"no echo, output begins like it", "echo hi\n", "echo\r\nX", none},
		{"interleaved", "sleep\n", "sl[1] Done\r\neep\r\n", none},
		{"unfinished", "sleep\n", "sle", none},
		{"line end missing", "abc\n", "abc 2 ok\r\n", none},
		{"escape without end", "abc\n", "ab\x1b]0;", none},
		{"empty stream", "abc\n", "", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, wantMatched := tt.output, true
			if want == none {
				want, wantMatched = tt.stream, false
			}
			testkit.EachSplit([]byte(tt.stream), func(pieces ...[]byte) {
				got, matched := strip(Config{Strategy: Deterministic, Sent: []byte(tt.sent)}, pieces...)
				require.Equal(t, want, got, "%q", pieces)
				require.Equal(t, wantMatched, matched)
			})
		})
	}
}

func TestFuzzy(t *testing.T) {
	prompt := regexp2.MustCompile(`^(D |mysql)> ?$`, regexp2.Multiline)
	for _, tt := range []struct{ name, sent, stream, output string }{
		{"plain echo", "1;\n", "1;\r\n1\r\n", "1\r\n"},
		{"prompt redrawn once", "1;\n", "\r\x1b[KD > 1;\r\n1\r\n", "1\r\n"},
		{"prompt without CR", "1;\n", "D > 1;\r\n1", "1"},
		{"colored prompt", "1;\n", "\r\x1b[0K\x1b[32mmysql>\x1b[m 1;\r\n1", "1"},
		{"redrawn for each key", "12;\n", "\r\x1b[KD > 1\r\x1b[KD > 12\r\x1b[KD > 12;\r\x1b[7C\r\n12", "12"},
		{"redrawn without prompt", "12;\n", "1\r12\r12;\r\n12", "12"},
		{"second line redrawn", "1\n2;\n", "\rD > 1\r\n\rD > 2;\rD > 2;\r\nx", "x"},
		{"output is a prompt", "1;\n", "\rD > 1;\r\nD > ", "D > "},

		{"another prompt", "1;\n", "\rfoo> 1;\r\n", none},
		{"no echo", "select 1;\n", "1\r\n2\r\n", none},
		{"a prompt and no echo", "select 1;\n", "D > 1\r\n", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, wantMatched := tt.output, true
			if want == none {
				want, wantMatched = tt.stream, false
			}
			testkit.EachSplit([]byte(tt.stream), func(pieces ...[]byte) {
				got, matched := strip(Config{Strategy: Fuzzy, Sent: []byte(tt.sent), Prompt: prompt}, pieces...)
				require.Equal(t, want, got, "%q", pieces)
				require.Equal(t, wantMatched, matched)
			})
		})
	}
}

// A line editor that shows only the end of a long line begins it with "<".
func TestEchoOfALineThatScrolls(t *testing.T) {
	const sent = "print('abcdefghijklmnopqrstuvwxyz')\n"
	for _, tt := range []struct{ name, stream, output string }{
		{"the end only", "\r\r<mnopqrstuvwxyz')\r\n<b>\r\n", "<b>\r\n"},
		{"drawn again", "print('abc\r<hijklmnop    \r<mnopqrstuvwxyz')      \r\r<mnopqrstuvwxyz')\r\nb", "b"},
		{"cleared after it", "\r<mnopqrstuvwxyz')      \b\b\b\b\b\b\r\nb", "b"},
		{"whole", "print('abcdefghijklmnopqrstuvwxyz')\r\nb", "b"},
		{"no echo", "abcdefghijklmnopqrstuvwxyz\r\n", none},
		{"no echo and no line", "abc", none},
		{"other text", "<abcdefgh>\r\n", none},
		{"less than an echo shows", "<z')\r\nb", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, wantMatched := tt.output, true
			if want == none {
				want, wantMatched = tt.stream, false
			}
			for _, foreign := range []bool{false, true} {
				testkit.EachSplit([]byte(tt.stream), func(pieces ...[]byte) {
					got, matched := strip(Config{Strategy: Deterministic, Sent: []byte(sent), Scrolls: true, Foreign: foreign}, pieces...)
					require.Equal(t, want, got, "%q", pieces)
					require.Equal(t, wantMatched, matched)
				})
			}
		})
	}
}

func TestNoStrategyKeepsTheEcho(t *testing.T) {
	for _, strategy := range []string{"none", "", "osc_boundaries"} {
		got, matched := strip(Config{Strategy: strategy, Sent: []byte("a\n")}, []byte("a\r\nb"))
		assert.Equal(t, "a\r\nb", got)
		assert.False(t, matched)
	}
	got, _ := strip(Config{Strategy: Deterministic}, []byte("\r\nb"))
	assert.Equal(t, "\r\nb", got, "nothing was sent")
}

func TestOutputIsReleasedAtOnce(t *testing.T) {
	s := New(Config{Strategy: Deterministic, Sent: []byte("ab\n")})
	assert.Empty(t, s.Feed([]byte("a")))
	assert.Equal(t, "ax", string(s.Feed([]byte("x"))))
	assert.Equal(t, "ab\r\n", string(s.Feed([]byte("ab\r\n"))), "the decision stands")
}

func TestHeldIsBounded(t *testing.T) {
	s := New(Config{Strategy: Deterministic, Sent: []byte("ab\n")})
	blank := bytes.Repeat([]byte("\x1b[m"), 1000)
	in, out := 0, 0
	for range 100 {
		in += len(blank)
		out += len(s.Feed(blank))
		require.LessOrEqual(t, in-out, slack+4*3)
	}
	require.Equal(t, in, out)
}

func TestLongEcho(t *testing.T) {
	sent := bytes.Repeat([]byte("x = 'some line of a program'\n"), 1<<15)
	echoed := bytes.ReplaceAll(sent, []byte("\n"), []byte("\r\n"))
	got, matched := strip(Config{Strategy: Deterministic, Sent: sent}, echoed, []byte("done"))
	require.True(t, matched)
	require.Equal(t, "done", got)
}

func FuzzNothingIsLost(f *testing.F) {
	f.Add([]byte("echo hi\n"), []byte("e\becho hi\r\r\nhi"), false)
	f.Add([]byte("12;\n"), []byte("\r\x1b[KD > 1\r\x1b[KD > 12\r\x1b[KD > 12;\r\n12"), true)
	f.Add([]byte("\x1b[200~a\tb\x1b[201~\r"), []byte("a   b \r\x1b[3Db\r\nc"), false)
	prompt := regexp2.MustCompile(`^D > $`, regexp2.Multiline)
	f.Fuzz(func(t *testing.T, sent, stream []byte, fuzzy bool) {
		if len(stream) > 500 || len(sent) > 500 {
			return
		}
		c := Config{Strategy: Deterministic, Sent: sent, Prompt: prompt}
		if fuzzy {
			c.Strategy = Fuzzy
		}
		want, wantMatched := strip(c, stream)
		if wantMatched {
			require.True(t, strings.HasSuffix(string(stream), want))
		} else {
			require.Equal(t, string(stream), want)
		}
		testkit.EachSplit(stream, func(pieces ...[]byte) {
			got, matched := strip(c, pieces...)
			require.Equal(t, want, got)
			require.Equal(t, wantMatched, matched)
		})
	})
}

func BenchmarkDeterministic(b *testing.B) {
	sent := bytes.Repeat([]byte("x = 'some line of a program'\n"), 1000)
	echoed := bytes.ReplaceAll(sent, []byte("\n"), []byte("\r\n"))
	b.SetBytes(int64(len(echoed)))
	b.ReportAllocs()
	for b.Loop() {
		s := New(Config{Strategy: Deterministic, Sent: sent})
		s.Feed(echoed)
		require.True(b, s.Matched())
	}
}
