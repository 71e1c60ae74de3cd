package prompt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

const nonce = "0123456789abcdef0123456789abcdef"

func TestClassifier(t *testing.T) {
	seven := 7
	required := schema.ShellIntegration{Nonce: "required"}
	for _, row := range []struct {
		name     string
		si       schema.ShellIntegration
		protocol int
		code     byte
		params   string
		want     Event
		trusted  bool
	}{
		{"prompt start", required, 633, 'A', nonce, Event{Kind: PromptStart}, true},
		{"input start", required, 633, 'B', nonce, Event{Kind: InputStart}, true},
		{"executed", required, 633, 'C', nonce, Event{Kind: Executed}, true},
		{"finished with a code", required, 633, 'D', "7;" + nonce, Event{Kind: Finished, Code: &seven}, true},
		{"finished without one", required, 633, 'D', nonce, Event{Kind: Finished}, true},
		{"finished with nonsense", required, 633, 'D', "x;" + nonce, Event{Kind: Finished}, true},
		{"continuation", required, 633, 'F', nonce, Event{Kind: Continuation}, true},
		{"directory", required, 633, 'P', "Cwd=/a;b;" + nonce, Event{Kind: Cwd, Cwd: "/a;b"}, true},
		{"directory, escaped", required, 633, 'P', `Cwd=/a\x3bb\\c;` + nonce, Event{Kind: Cwd, Cwd: `/a;b\c`}, true},
		{"another property", required, 633, 'P', "IsWindows=True;" + nonce, Event{}, true},
		{"a letter without a meaning", required, 633, 'H', nonce, Event{}, true},
		{"a terminal that prints capitals", required, 633, 'D', "7;" + strings.ToUpper(nonce), Event{Kind: Finished, Code: &seven}, true},
		{"a directory in capitals is unknown", required, 633, 'P', "CWD=/A;" + strings.ToUpper(nonce), Event{}, true},
		{"no nonce", required, 633, 'D', "0", Event{}, false},
		{"no parameters at all", required, 633, 'A', "", Event{}, false},
		{"another nonce", required, 633, 'A', strings.Repeat("0", 32), Event{}, false},
		{"the nonce not last", required, 633, 'D', nonce + ";0", Event{}, false},
		{"another protocol", required, 133, 'A', nonce, Event{}, false},
		{"OSC 7 has no nonce", required, 7, '7', "file://host/tmp", Event{}, false},
		{"no nonce wanted", schema.ShellIntegration{}, 633, 'D', "7", Event{Kind: Finished, Code: &seven}, true},
		{"OSC 7", schema.ShellIntegration{}, 7, '7', "file://host/tmp/a%20b", Event{Kind: Cwd, Cwd: "/tmp/a b"}, true},
		{"OSC 7, not a file", schema.ShellIntegration{}, 7, '7', "http://host/", Event{}, false},
		{"133", schema.ShellIntegration{Protocol: "osc133"}, 133, 'A', "", Event{Kind: PromptStart}, true},
		{"a declared letter", schema.ShellIntegration{Markers: schema.Markers{PromptStart: "X"}}, 633, 'X', "", Event{Kind: PromptStart}, true},
		{"a declared sequence", schema.ShellIntegration{Markers: schema.Markers{PromptStart: "\x1b]133;A\x07"}}, 133, 'A', "", Event{Kind: PromptStart}, true},
		{"a declared key", schema.ShellIntegration{PropertyUpdates: schema.PropertyUpdates{CwdKey: "Dir"}}, 633, 'P', "Dir=/x", Event{Kind: Cwd, Cwd: "/x"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			var params []string
			if row.params != "" {
				params = strings.Split(row.params, ";")
			}
			got, trusted := NewClassifier(row.si, nonce).Classify(Marker{Protocol: row.protocol, Code: row.code, Params: params})
			assert.Equal(t, row.trusted, trusted)
			assert.Equal(t, row.want, got)
		})
	}
}

// Each marker counts once, in its turn: T is trusted, and the others are output.
func TestNumberedMarkers(t *testing.T) {
	for _, row := range []struct{ name, markers, trusted string }{
		{"a prompt and its command", "D;0;1 P;Cwd=/;1 A;1 B;1 C;1 D;0;2 P;Cwd=/;2 A;2 B;2", "TTTTTTTTT"},
		{"the same prompt again", "D;0;1 A;1 B;1 C;1 D;5;1 P;Cwd=/;1 A;1 B;1 C;1 D;0;2 A;2", "TTTT.....TT"},
		{"a prompt of the past", "D;0;7 A;7 B;7 D;0;6 A;6 B;6 C;6 C;7 D;0;8", "TTT....TT"},
		{"numbers may be left out, by program and by prompt", "D;0;3 A;3 B F G F;3 C B F G C D;0;9 A;9", "TTTTTTT....TT"},
		{"D early, and with the prompt", "D;0;1 D;0;1 A;1 D;0;1 D;0;2", "TTT.T"},
		{"A before D", "P;Cwd=/;1 A;1 D;0;1 D;0;1 A;1 P;Cwd=/;1", "TTT..."},
		{"no command without a prompt", "C;0 C;1 F B D;0;1 C;1 A;1 C;1", "....T.TT"},
		{"the same prompt after an interrupt (!)", "D;0;1 A;1 B;1 ! D;0;1 P;Cwd=/;1 A;1 B;1 C;1 A;1", "TTTTTATT."},
		{"an interrupt just before the prompt", "D;0;1 A;1 C ! D;0;2 A;2 B D;0;2 A;2 D;0;3 A;3 A;3", "TTTTTTTATT."},
		{"no number", "D D;0;x A P;Cwd=/ C D;0;-1", "......"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := NewClassifier(schema.ShellIntegration{Nonce: "required", Numbered: true}, nonce)
			got := ""
			for _, m := range strings.Fields(row.markers) {
				if m == "!" {
					c.Interrupted()
					continue
				}
				params := strings.Split(m+";"+nonce, ";")[1:]
				switch e, trusted := c.Classify(Marker{Protocol: 633, Code: m[0], Params: params}); {
				case e.Again:
					got += "A"
				case trusted:
					got += "T"
				default:
					got += "."
				}
			}
			assert.Equal(t, row.trusted, got)
		})
	}
}

// feedLiteral renders what a Literal reports: text as it is, markers as ⟨index⟩.
func feedLiteral(l *Literal, pieces ...string) string {
	var out strings.Builder
	for _, p := range pieces {
		l.Feed([]byte(p), func(b []byte) { out.Write(b) }, func(i int) { out.WriteString("⟨" + string(rune('0'+i)) + "⟩") })
	}
	l.Flush(func(b []byte) { out.Write(b) })
	return out.String()
}

func TestLiteralIsTheSameHoweverTheStreamIsCut(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                 "plain",
		"aMARK>b":               "a⟨0⟩b",
		"MARK>MARK>":            "⟨0⟩⟨0⟩",
		"MAMARK>":               "MA⟨0⟩",
		"xMARK+>y":              "x⟨1⟩y",
		"ends with the MAR":     "ends with the MAR",
		"MARK":                  "MARK",
		"öMARK>é MARK+>\nMARK.": "ö⟨0⟩é ⟨1⟩\nMARK.",
	} {
		assert.Equal(t, want, feedLiteral(NewLiteral("MARK>", "MARK+>"), in))
		for i := range in {
			assert.Equal(t, want, feedLiteral(NewLiteral("MARK>", "MARK+>"), in[:i], in[i:]), "%q cut at %d", in, i)
		}
		assert.Equal(t, want, feedLiteral(NewLiteral("MARK>", "MARK+>"), strings.Split(in, "")...), "%q byte by byte", in)
	}
	assert.Equal(t, "a⟨0⟩", feedLiteral(NewLiteral("M", ""), "aM"), "an empty marker is none")
}

func FuzzLiteral(f *testing.F) {
	f.Add([]byte("aMARK>bMARK+>c"), 3)
	f.Fuzz(func(t *testing.T, in []byte, at int) {
		if at < 0 || at > len(in) {
			t.Skip()
		}
		whole := feedLiteral(NewLiteral("MARK>", "MARK+>"), string(in))
		cut := feedLiteral(NewLiteral("MARK>", "MARK+>"), string(in[:at]), string(in[at:]))
		assert.Equal(t, whole, cut)
	})
}

func TestPatternsMatchOnlyAtTheEnd(t *testing.T) {
	p, err := NewPatterns([]Pattern{
		{Key: "prompt.primary", Source: `^> $`},
		{Key: "prompt.continuation", Source: `^\.\.\. $`, Tag: 1},
		{Key: "modes[0].primary", Source: `^(\d+)\] $`, Tag: 2},
	})
	require.NoError(t, err)
	for _, row := range []struct {
		name, tail string
		usual      int
		tag        int
		start      int // -1: no match
		text       string
	}{
		{"at the start", "> ", 0, 0, 0, "> "},
		{"after a line", "out\r\n> ", 0, 0, 5, "> "},
		{"not in the middle", "> more", 0, 0, -1, ""},
		{"not before a newline", "> \r\n", 0, 0, -1, ""},
		{"not inside a line", "a> ", 0, 0, -1, ""},
		{"unless prompts of that length are usual", "abc> ", 2, 0, 3, "> "},
		{"continuation", "x\n... ", 0, 1, 2, "... "},
		{"with a group", "x\n12] ", 0, 2, 2, "12] "},
		{"colored", "x\n\x1b[1m> \x1b[0m", 0, 0, 2, "> "},
		{"with a title before", "\x1b]0;title\x07> ", 0, 0, 0, "> "},
		{"colored, redrawn", "x\n> abc\r\x1b[K\x1b[1m> ", 0, 0, 8, "> "},
		{"colored, behind text", "x\x1b[1m> ", 2, 0, 5, "> "},
		{"redrawn", "x\n> abc\r> ", 0, 0, 8, "> "},
		{"padded with backspaces", "> x\b", 0, 0, 0, "> "},
		{"nothing", "", 2, 0, -1, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, ok, err := p.AtEnd([]byte(row.tail), row.usual)
			require.NoError(t, err)
			require.Equal(t, row.start >= 0, ok)
			if ok {
				assert.Equal(t, row.tag, m.Tag)
				assert.Equal(t, row.start, m.Start)
				assert.Equal(t, row.text, m.Text)
			}
		})
	}
	m, _, err := p.AtEnd([]byte("7] "), 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"7] ", "7"}, m.Groups)
}

func TestPatternErrorsNameTheKey(t *testing.T) {
	_, err := NewPatterns([]Pattern{{Key: "prompt.primary", Source: "("}})
	assert.ErrorContains(t, err, "prompt.primary")
}

func FuzzVisible(f *testing.F) {
	long := "\x1b     " + strings.Repeat("\xe8", 5000) + "mend"
	for _, seed := range []string{"plain", "\x1b[31mred\x1b[0m", "a\rb", "\x1b]0;t\x07x", "\x1b[", "\xff\b\b", long} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var c cleaned
		c.read(in)
		require.Equal(t, len(c.runes), len(c.offsets))
		last := -1
		for _, o := range c.offsets {
			require.Greater(t, o, last)
			last = o
		}
		require.Less(t, last, max(1, len(in)))
		require.NotContains(t, string(c.runes), "\x1b")
	})
}

func BenchmarkAtEnd(b *testing.B) {
	p, err := NewPatterns([]Pattern{{Key: "prompt.primary", Source: `^>>> $`}, {Key: "prompt.continuation", Source: `^\.\.\. $`}})
	require.NoError(b, err)
	for name, line := range map[string]string{"plain": "0123456789 abcdef\r\n", "colored": "\x1b[32mok\x1b[0m test \x1b[38;5;244m0.1 s\x1b[m\r\n"} {
		tail := []byte(strings.Repeat(line, 20) + "\x1b[1m>>> \x1b[m")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, ok, err := p.AtEnd(tail, 0); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}
