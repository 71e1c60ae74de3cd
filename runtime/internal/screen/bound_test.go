package screen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A count does no more than fill the screen, whatever it says.
func TestCountsEndAtTheScreen(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"REP", "ab\x1b[999999999b", "ab" + strings.Repeat("b", 8) + "\nbb"},
		{"ICH", "ab\r\x1b[999999999@c", "c"},
		{"ECH", "ab\r\x1b[999999999Xc", "c"},
		{"DCH", "ab\r\x1b[999999999Pc", "c"},
		{"SU", "a\r\nb\x1b[999999999S\r\x1b[Hc", "a\nb\n\n\n\nc"},
		{"SD", "a\r\nb\x1b[999999999T\x1b[Hc", "c"},
		{"IL", "a\r\nb\x1b[H\x1b[999999999Lc", "c"},
		{"DL", "a\r\nb\x1b[H\x1b[999999999Mc", "a\nb\n\n\n\nc"},
		{"CHT", "a\x1b[999999999Ib", "a        b"},
		{"CBT", "ab\x1b[999999999Zc", "cb"},
		{"CUP", "a\x1b[999999999;999999999Hb", "a\n\n\n\n         b"},
		{"more digits than a number has", "a\x1b[" + strings.Repeat("9", 99) + "Cb", "a        b"},
		{"a private mode is no count", "a\x1b[?1049hb", "b"},
		{"an overlong sequence", "a\x1b[" + strings.Repeat("9", maxControl) + "b" + "c", "ac"},
		{"an aborted sequence", "a\x1b[99\x18b\x1b[9\x1b[2Cc", "ab  c"},
		{"C1 that is no character", "a\x9b999999999bc", "a\uFFFD99999999\n9bc"},
		{"behind half a character", "\xe2A\xc3\x9b999999999bc", "\uFFFDAÛ9999999\n99bc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, text(10, 5, tt.in))
			for i := 1; i < min(len(tt.in), 100); i++ {
				require.Equal(t, tt.want, text(10, 5, tt.in[:i], tt.in[i:]), "cut at %d", i)
			}
		})
	}
}

// What is left of a sequence when the program ends is not printed.
func TestUnfinishedSequence(t *testing.T) {
	assert.Equal(t, "a", text(10, 5, "a\x1b[99999"))
}

func BenchmarkHostile(b *testing.B) {
	for _, seq := range []string{"\x1b[9999b", "\x1b[9999@", "\x1b[9999P", "\x1b[9999X", "\x1b[9999S", "\x1b[9999T", "\x1b[9999L", "\x1b[9999M", "\x1b[99I", "\x1b[99Z", "\x1b#8", "\x1b[2J", "\n", "\x1bM", "\x1b[?1049h\x1b[?1049l", "\x1bc"} {
		b.Run(seq[1:], func(b *testing.B) {
			in := []byte(strings.Repeat(seq, 64<<10/len(seq)))
			b.SetBytes(64 << 10)
			for b.Loop() {
				s := New(200, 50)
				s.Write([]byte("abc"))
				s.Write(in)
				s.Scrolled()
			}
		})
	}
}
