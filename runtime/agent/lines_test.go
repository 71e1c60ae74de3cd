package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A line without an end uses no more memory than the maximum line length.
func TestALineWithoutEndIsBounded(t *testing.T) {
	times := testkit.Fewer(t, 90, testkit.Times(t, 100, 300)) // of 100 KB; the limit is 8 MB
	for _, piece := range testkit.FewerOf(t, 2, []string{`"long without an end `, `{"a":[`, `"a"`, `""`, `"\u0041",`}) {
		var l lines
		many := []byte(strings.Repeat(piece, 100_000/len(piece)))
		for range times {
			l.feed(many)
		}
		assert.LessOrEqual(t, len(l.cut.out), maxLine+100, piece)
	}
}

// A long text is cut in the middle: the end of an answer has the result.
func TestALongStringKeepsBothEnds(t *testing.T) {
	const size = 2 << 20
	for _, tt := range testkit.FewerOf(t, 2, []struct{ name, middle string }{{"text", "é"}, {"escapes", `\n`}, {"code points", `\u00e9`}, {"no text", "\x80"}, {"quotes", `\"`}}) {
		name, middle := tt.name, tt.middle
		var got []byte
		l := lines{emit: func(b []byte) { got = bytes.Clone(b) }}
		lost := 0
		l.lost = func(n int) { lost = n }
		for _, part := range []string{`{"text":"begin `, strings.Repeat(middle, size/len(middle)), ` STATUS: COMPLETE","n":1}` + "\n"} {
			l.feed([]byte(part))
		}
		var v struct {
			Text string
			N    int
		}
		require.NoError(t, json.Unmarshal(got, &v), name)
		assert.Equal(t, 1, v.N, name)
		assert.True(t, strings.HasPrefix(v.Text, "begin "), name)
		assert.True(t, strings.HasSuffix(v.Text, " STATUS: COMPLETE"), name)
		assert.Equal(t, 1, strings.Count(v.Text, "bytes left out]…"), name)
		assert.Less(t, len(got), longString+4*markStep, name)
		assert.Equal(t, len(`begin  STATUS: COMPLETE`)+size/len(middle)*len(middle)-(len(got)-len(`{"text":"","n":1}`)-len(fmt.Sprintf("…[%d bytes left out]…", lost))), lost, name)
	}
}

// However a long line is cut, JSON remains JSON, and the result does not depend on how the input
// is split.
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
