package session

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
)

// The echo of a user's keys is separated from lines of other programs, even if these lines contain
// the same bytes. The keys are separated by |.
func TestSeparatingAnEcho(t *testing.T) {
	for _, tt := range []struct{ name, keys, text, own, before, after string }{
		{"an echo", "e|c", "ec", "ec", "", ""},
		{"a line before it", "e", "job\r\ne", "e", "job\r\n", ""},
		{"a line after it", "e", "ejob\r\n", "e", "", "job\r\n"},
		{"a line between two keys", "e|c", "ejob\r\nc", "ec", "job\r\n", ""},
		{"a line that begins like the next key", "e|c|h|o", "echello\r\nho", "echo", "hello\r\n", ""},
		{"two lines that begin like the next key", "e|c|h|o", "ehe\r\nche\r\nho", "echo", "he\r\nhe\r\n", ""},
		{"the keys' bytes in the line before", "e", "hello\r\ne", "e", "hello\r\n", ""},
		{"the keys' bytes at the beginning of the line before", "e|c", "echo\r\nec", "ec", "echo\r\n", ""},
		{"a line that was not complete", "e", "e the end\r\n", "e", "", " the end\r\n"},
		{"between a line and its end", "l", "hellol\r\n", "l", "hello", "\r\n"},
		{"within a line", "x", "hexllo\r\n", "x", "he", "llo\r\n"},
		{"an erased character", "\b \b", "job\r\n\b \b", "\b \b", "job\r\n", ""},
		{"the end of a line", "\r\n", "job\r\n\r\n42\r\n", "\r\n", "job\r\n", "42\r\n"},
		{"a line that is not echoed", "e|\r\n", "42\r\n", "", "", "42\r\n"},
		{"no echo", "x", "job\r\n", "", "", "job\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.text), func(pieces ...[]byte) {
				var e lineEcho
				for _, echo := range strings.Split(tt.keys, "|") {
					e.expect([]byte(echo))
				}
				var own, before, after string
				add := func(d divided) {
					own, before, after = own+string(d.echo), before+string(d.before), after+string(d.after)
				}
				for _, p := range pieces {
					add(e.feed(p))
				}
				add(e.decide(true))
				assert.Equal(t, len(tt.text), len(own)+len(before)+len(after), "%q", pieces)
				if len(pieces) == 1 {
					assert.Equal(t, []string{tt.own, tt.before, tt.after}, []string{own, before, after})
				}
			})
		})
	}
}

// The time to find the echoes is bounded, whatever other programs print.
func TestFindingEchoesIsBounded(t *testing.T) {
	key := [][]byte{[]byte("a")}
	text := bytes.Repeat([]byte("a\r\n"), keptStartup/len("a\r\n"))
	detours := maxDetours
	assert.Nil(t, find(text, append(slices.Repeat(key, 2000), []byte("b")), lineStarts, &detours))
}

// So is the time to find as many of the echoes as there are.
func TestFindingSomeEchoesIsBounded(t *testing.T) {
	line := "a" + strings.Repeat("cb", 30) + "c\r\n"
	e := lineEcho{
		owed: append([][]byte{[]byte("a")}, slices.Repeat([][]byte{[]byte("b")}, 300)...),
		text: bytes.Repeat([]byte(line), keptStartup/len(line)),
	}
	began := time.Now()
	assert.Equal(t, "a", string(e.decideLines().echo))
	assert.Less(t, time.Since(began), testkit.Patience(10*time.Second)) // each number of echoes must not have detours of its own
}

// Text of any length that arrives before an echo belongs to other programs, and is not kept.
func TestALongTextBeforeAnEcho(t *testing.T) {
	text := bytes.Repeat([]byte("job\r\n"), 4*keptStartup/len("job\r\n"))
	var e lineEcho
	e.expect([]byte("x"))
	var before []byte
	for piece := range slices.Chunk(text, 4<<10) {
		d := e.feed(piece)
		before = append(before, d.before...)
		assert.Empty(t, d.echo)
		assert.LessOrEqual(t, len(e.text), keptStartup)
	}
	d := e.feed([]byte("x"))
	assert.Equal(t, "x", string(d.echo))
	assert.Equal(t, string(text), string(append(before, d.before...)))
	assert.Empty(t, d.after)
}
