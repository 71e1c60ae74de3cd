package screen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func text(cols, rows int, pieces ...string) string {
	s := New(cols, rows)
	for _, p := range pieces {
		s.Write([]byte(p))
	}
	return s.Text()
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a\r\nb\r\n", "a\nb"},
		{"trailing blanks", "a   \r\n\r\n\r\n", "a"},
		{"leading and inner blanks", "\r\n  a\r\n\r\nb", "\n  a\n\nb"},
		{"home and clear", "\x1b[H\x1b[2Ja", "a"},
		{"cursor addressing", "\x1b[3;4Hx\x1b[1;1Hy", "y\n\n   x"},
		{"cursor up", "1\r\n2\r\n\x1b[2A\x1b[KX", "X\n2"},
		{"erase below", "1\r\n2\r\n3\x1b[1;1H\x1b[J", ""},
		{"scrolled off", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", "1\n2\n3\n4\n5\n6\n7"},
		{"wrapped", "abcdefghijklm", "abcdefghij\nklm"},
		{"wide", "日本\r\n\x1b[1;5Hx", "日本x"},
		{"combining", "e\u0301x", "e\u0301x"},
		{"alternate screen left", "main\r\n\x1b[?1049hinside\x1b[?1049l", "main"},
		{"alternate screen", "\x1b[?1049h\x1b[Hinside", "inside"},
		{"queries get no answer and do not block", "a\x1b[c\x1b[6n\x1b[5n\x1b[?6n\x1b[>c\x1b[?25$p\x1b]10;?\a\x1b]11;?\ab", "ab"},
		{"in-band resize", "\x1b[?2048ha", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, text(10, 5, tt.in))
			for i := 1; i < len(tt.in); i++ {
				require.Equal(t, tt.want, text(10, 5, tt.in[:i], tt.in[i:]), "cut at %d", i)
			}
			require.Equal(t, tt.want, text(10, 5, strings.Split(tt.in, "")...))
		})
	}
}

func TestScrolledIsTakenOnce(t *testing.T) {
	s := New(10, 2)
	s.Write([]byte("1\r\n2\r\n3\r\n4\r\n"))
	s.Write([]byte("."))
	assert.Equal(t, "1\n2\n3\n", string(s.Scrolled()))
	assert.Empty(t, s.Scrolled())
	assert.Equal(t, "4\n.", s.Text())
}

func TestHistoryIsBounded(t *testing.T) {
	s := New(10, 2)
	for range 5 {
		s.keep(make([]byte, maxHistory))
		require.LessOrEqual(t, len(s.history), 2*maxHistory)
	}
	s.keep([]byte("newest\n"))
	require.True(t, strings.HasSuffix(s.Text(), "newest"))
}

func TestResize(t *testing.T) {
	s := New(0, -1)
	s.Write([]byte("a"))
	s.Resize(20, 5)
	s.Resize(0, 0)
	s.Resize(1<<30, 3)
	s.Write([]byte("b"))
	assert.NotPanics(t, func() { s.Text() })
}

func TestPanicFallsBackToPlainText(t *testing.T) {
	s := New(10, 5)
	s.Write([]byte("before\r\n"))
	s.guard(func() { panic("library bug") })
	require.ErrorContains(t, s.Err(), "library bug")
	s.Write([]byte("\x1b[31mafter\x1b[m\r\n\x1b[5;5Hend"))
	assert.Equal(t, "before\nafter\nend", s.Text())
	assert.NotPanics(t, func() { s.Resize(5, 5) })
}

func FuzzNeverPanics(f *testing.F) {
	for _, seed := range []string{"\x1b[3;4Hx\x1b[1;1Hy", "\x1b[?1049h\x1b[2J\x1b[1;3r\x1bM\x1bD\x1b[2L\x1b[3M\x1b[4@\x1b[5P\x1b[6X", "\x1b#8\x1b(0lqk\x1b[9999b", "日\b\x1b[Ke\u0301\u200d"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		s := New(20, 6)
		s.Write(in)
		s.Resize(7, 3)
		s.Text()
	})
}

func BenchmarkWrite(b *testing.B) {
	in := []byte(strings.Repeat(strings.Repeat("0123456789abc ", 5)+"78 byte\r\n", 100))
	s := New(200, 50)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		s.Write(in)
		s.Scrolled()
	}
}
