package vt

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// columns is the width of each text by clusters (mode 2027) and by code points.
var columns = []struct {
	name, text           string
	clusters, codePoints int
}{
	{"a flag", "🇩🇪", 2, 2},
	{"flags", "🇩🇪🇫🇷", 4, 4},
	{"a flag and a half", "🇩🇪🇫", 4, 3},
	{"Wales", "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", 2, 2},
	{"a family", "👨\u200d👩\u200d👧", 2, 6},
	{"families", "👨\u200d👩\u200d👧👨\u200d👩\u200d👧", 4, 12},
	{"a profession", "👩🏽\u200d⚕\ufe0f", 2, 5},
	{"a rainbow flag", "🏳\ufe0f\u200d🌈", 2, 3},
	{"a skin tone", "👍🏽", 2, 4},
	{"a skin tone for a narrow one", "☝🏽", 2, 3},
	{"a skin tone alone", "🏽", 2, 2},
	{"a skin tone after a letter", "a🏽", 3, 3},
	{"a heart as text", "❤", 1, 1},
	{"a heart as emoji", "❤\ufe0f", 2, 1},
	{"a sign as emoji", "©\ufe0f", 2, 1},
	{"a keycap", "1\ufe0f\u20e3", 2, 1},
	{"keycaps", "#\ufe0f\u20e3*\ufe0f\u20e3", 4, 2},
	{"a selector without effect", "a\ufe0f", 1, 1},
	{"a heart on fire", "❤\ufe0f\u200d🔥", 2, 3},
	{"an accent", "e\u0301", 1, 1},
	{"Jamo", "\u1112\u1161\u11ab", 2, 2},
	{"Devanagari", "न\u092eस\u094dत\u0947", 3, 4},
	{"a joiner between letters", "a\u200db", 2, 2},
	{"ideographs", "日本", 4, 4},
}

func TestWidthOfClusters(t *testing.T) {
	for _, tt := range columns {
		t.Run(tt.name, func(t *testing.T) {
			for mode, want := range map[string]int{"": tt.clusters, "\x1b[?2027l": tt.codePoints, "\x1b[?2027l\x1b[?2027h": tt.clusters, "\x1b[?2027l\x1bc": tt.clusters, "\x1b[?2027l\x1b[!p": tt.codePoints} {
				for cut := range len(tt.text) {
					s := New(Options{Cols: 20, Rows: 3})
					s.Write([]byte(mode + tt.text[:cut]))
					s.Write([]byte(tt.text[cut:]))
					row, _ := s.Row(0)
					x, _ := s.Cursor()
					require.Equal(t, tt.text, row)
					require.Equal(t, want, x, "after %q", mode)
					sum := 0
					for _, c := range s.Cells(0)[:x] {
						sum += c.Width
					}
					require.Equal(t, want, sum, "of cells after %q", mode)
				}
			}
		})
	}
}

// A cluster that becomes wide in the last column moves to the next row; without wrapping it stays
// narrow.
func TestClusterBecomesWide(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string
		x, y     int
	}{
		{"in the middle", "ab❤\ufe0f", "ab❤\ufe0f", 4, 0},
		{"over others", "abcdef\x1b[1;3H❤\ufe0f", "ab❤\ufe0fef", 4, 0},
		{"over half of a wide one", "ab日d\x1b[1;2H❤\ufe0f", "a❤\ufe0f d", 3, 0},
		{"inserted", "abcde\x1b[1;3H\x1b[4h❤\ufe0f", "ab❤\ufe0fcd", 4, 0},
		{"before the edge", "abcd❤\ufe0fx", "abcd❤\ufe0f|x", 1, 1},
		{"at the edge", "abcde❤\ufe0fx", "abcde|❤\ufe0fx", 3, 1},
		{"at the edge of the last row", "\x1b[3;1Habcde1\ufe0f\u20e3x", "|abcde|1\ufe0f\u20e3x", 3, 2},
		{"at the edge, inserted", "\r\nxyz\x1b[1;1Habcde\x1b[4h❤\ufe0f", "abcde|❤\ufe0fxyz", 2, 1},
		{"at the edge without wrap", "\x1b[?7labcde❤\ufe0f", "abcde❤\ufe0f", 6, 0},
		{"a flag at the edge", "abcde🇩🇪x", "abcde|🇩🇪x", 3, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{Cols: 6, Rows: 3})
			s.Write([]byte(tt.in))
			require.Equal(t, tt.want, strings.TrimRight(strings.Join(rows(s), "|"), "|"))
			x, y := s.Cursor()
			require.Equal(t, []int{tt.x, tt.y}, []int{x, y})
		})
	}
}

// A sequence between characters keeps them separate.
func TestSequenceEndsCluster(t *testing.T) {
	for _, between := range []string{"\x1b[C\x1b[D", "\x1b7", "\a"} {
		s := New(Options{Cols: 20, Rows: 2})
		s.Write([]byte("🇩" + between + "🇪"))
		x, _ := s.Cursor()
		require.Equal(t, 4, x)
		again := New(Options{Cols: 20, Rows: 2})
		again.Write(s.AppendANSI(nil))
		require.Equal(t, dump(s), dump(again))
	}
}

// The quick check of a character misses none that belongs to a cluster.
func TestMayExtend(t *testing.T) {
	before := [][]byte{[]byte("a"), []byte("日"), []byte("🇩"), []byte("👩"), []byte("\u1112"), []byte("하"), []byte("क"), []byte("क\u094d"), []byte("ก"), []byte("က\u1039")}
	// The planes from 2 on, which are nearly all Chinese characters or private, are sampled.
	step := rune(61)
	if testkit.Thorough {
		step = 1
	}
	testkit.LogSample(t, 0x20000+(utf8.MaxRune-0x20000)/int(step), utf8.MaxRune)
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if r >= 0x20000 && r>>16 != 0xe && r%step != 0 { // plane 14 has the characters of tags
			continue
		}
		if r == 0x302e || r == 0x302f || r == 0xff9e || r == 0xff9f { // have columns of their own
			continue
		}
		if !utf8.ValidRune(r) || Width(r) == 0 || mayExtend(r, false) {
			continue
		}
		for _, text := range before {
			if isCluster(utf8.AppendRune(append([]byte(nil), text...), r)) {
				assert.Fail(t, "it extends", "%U after %q", r, text)
				break
			}
		}
	}
}

// clusterStream returns a stream with many clusters and parts of clusters.
func clusterStream(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		switch r.IntN(4) {
		case 0:
			b = append(b, piece(r)...)
		case 1:
			b = append(b, pick(r, columns...).text...)
		case 2:
			b = append(b, pick(r, "🇩", "🇪", "\u200d", "\ufe0f", "🏽", "❤", "1", "👩", "\u20e3", "क", "\u094d", "\u093e", "\u1100", "\u1161", "\u0600")...)
		default:
			b = append(b, pick(r, "a", "\r", "\n", "\b", "\x1b[C", "\x1b[D", "\x1b[99C", "\x1b[2b", "\x1b[?2027l", "\x1b[?2027h", "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "日")...)
		}
	}
	return b
}

// The screen does not depend on how the stream is split, nor on whether it is restored from a
// snapshot in the middle.
func TestClustersCutAnywhere(t *testing.T) {
	o := Options{Cols: 11, Rows: 4, History: 50}
	for i := range 300 {
		b := clusterStream(rand.New(rand.NewPCG(11, uint64(i))), 300)
		whole, bytewise := New(o), New(o)
		whole.Write(b)
		for _, c := range b {
			bytewise.Write([]byte{c})
		}
		require.Equal(t, dump(whole), dump(bytewise), "stream %d", i)
		whole.Write([]byte("\x18\r"))
		again := New(o)
		again.Write(whole.AppendANSI(nil))
		require.Equal(t, dump(whole), dump(again), "stream %d", i)
		over := New(o)
		over.Write(clusterStream(rand.New(rand.NewPCG(12, uint64(i))), 300))
		over.Write([]byte("\x18"))
		over.Write(whole.AppendAnew(nil, 0))
		require.Equal(t, rows(whole), rows(over), "stream %d", i)
		require.Equal(t, whole.Modes().Clusters, over.Modes().Clusters)
	}
}
