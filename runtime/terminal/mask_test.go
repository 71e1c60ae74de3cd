package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/vt"
)

// Wherever the output is split, the text is hidden, and offsets do not change.
func TestMaskHidesText(t *testing.T) {
	const text = "0123456789abcdef"
	const output = "0\r\n012x 0123456789abcde\r\n" + text + "> one" + text + text + ". two 01234567\r\n" + text
	const seen = "0\n012x 0123456789abcde\n> one. two 01234567\n"
	for first := range output {
		for second := first; second <= len(output); second++ {
			m := mask{text: []byte(text)}
			screen := vt.New(vt.Options{Cols: 80, Rows: 24})
			total := 0
			for _, part := range []string{output[:first], output[first:second], output[second:]} {
				shown := m.hide([]byte(part))
				total += len(shown)
				screen.Write(shown)
			}
			total += len(m.end())
			screen.Write(m.end())
			assert.Equal(t, len(output), total)
			if got := string(screen.AppendText(nil)); got != seen {
				t.Fatalf("cut at %d and %d: %q", first, second, got)
			}
		}
	}
}

func TestMaskByBytes(t *testing.T) {
	m := mask{text: []byte("0123456789abcdef")}
	var shown strings.Builder
	screen := vt.New(vt.Options{Cols: 80, Rows: 24})
	for _, c := range []byte("x0123456789abcdef> 0123456") {
		b := m.hide([]byte{c})
		shown.Write(b)
		screen.Write(b)
	}
	assert.NotContains(t, shown.String(), "7")
	screen.Write(m.end())
	assert.Equal(t, "x> 0123456", string(screen.AppendText(nil)))
}

func TestEmptyMask(t *testing.T) {
	m := mask{}
	assert.Equal(t, "unchanged", string(m.hide([]byte("unchanged"))))
	assert.Empty(t, m.end())
}

// Wherever the output is split, all of it is hidden up to the text, and offsets do not change.
func TestOutputIsHiddenUpToAText(t *testing.T) {
	const output = "error 0123\r\n01201234> one 01234>"
	for first := range output {
		for second := first; second <= len(output); second++ {
			c := curtain{until: []byte("01234> "), left: len(output)}
			screen := vt.New(vt.Options{Cols: 80, Rows: 24})
			total := 0
			for _, part := range []string{output[:first], output[first:second], output[second:]} {
				shown := c.hide([]byte(part))
				total += len(shown)
				screen.Write(shown)
			}
			assert.Equal(t, len(output), total)
			if got := string(screen.AppendText(nil)); got != "01234> one 01234>" {
				t.Fatalf("cut at %d and %d: %q", first, second, got)
			}
		}
	}
}

// The hidden output is bounded, and output that may be the beginning of the text is not lost.
func TestHiddenOutputIsBounded(t *testing.T) {
	c := curtain{until: []byte("01234> "), left: 4}
	assert.Equal(t, "\x00\x00\x00", string(c.hide([]byte("abc"))))
	assert.Equal(t, "\x00efg", string(c.hide([]byte("defg"))))
	assert.Equal(t, "h01", string(c.hide([]byte("h01"))))
	c = curtain{until: []byte("01234> "), left: 4}
	assert.Equal(t, "\x00", string(c.hide([]byte("a01"))))
	assert.Equal(t, "01", string(c.end()))
}
