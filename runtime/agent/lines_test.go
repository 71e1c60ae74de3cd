package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A line without an end takes no more memory than the longest that is kept.
func TestALineWithoutEndIsBounded(t *testing.T) {
	for _, piece := range []string{`"a"`, `""`, `"\u0041",`, `{"a":[`, `"long without an end `} {
		var l lines
		for range 300 {
			l.feed([]byte(strings.Repeat(piece, 100_000/len(piece))))
		}
		assert.LessOrEqual(t, len(l.cut.out), maxLine+100, piece)
	}
}

// Whatever is cut out of a long line, what was JSON stays JSON, and where it is
// read in pieces changes nothing.
func FuzzLines(f *testing.F) {
	f.Add(`{"a":"b"}`+"\n"+`{"c":"\u12ab\\\""}`, uint16(3))
	f.Add(`{"a":"`+strings.Repeat("ü\\n", 300)+`","b":[1,{"c":"d"}]}`, uint16(100))
	f.Add("no json\r\n\n{", uint16(1))
	f.Fuzz(func(t *testing.T, text string, at uint16) {
		collect := func(parts ...string) (got []string) {
			l := lines{emit: func(b []byte) { got = append(got, string(b)) }}
			for _, p := range parts {
				l.feed([]byte(p))
			}
			l.end()
			return got
		}
		cut := min(int(at), len(text))
		assert.Equal(t, collect(text), collect(text[:cut], text[cut:]))

		c := &cutter{limit: 20}
		c.feed([]byte(text))
		if json.Valid([]byte(text)) {
			assert.True(t, json.Valid(c.out), "%q became %q", text, c.out)
		}
		d := &cutter{limit: 20}
		d.feed([]byte(text[:cut]))
		d.feed([]byte(text[cut:]))
		assert.Equal(t, c.out, d.out)
	})
}
