package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ⟨ marks the place that is reported.
func TestFlowFault(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{`samples: {print: print ⟨{}, error: x}`, `the text "print" ends before this "{"; inside {…} and […], text that holds { } [ ] , # or ": " needs quotes: '…'`},
		{`samples: {print: print(⟨{text})}`, `the text "print(" ends before this "{"`},
		{`samples: {print: a⟨: b, error: x}`, `the text "a" ends at this ": "`},
		{`  - {name: a, eval: "x" ⟨y}`, `the text "\"x\"" ends before this "y"`},
		{`  - {name: a, eval: [1, 2] ⟨+ 1}`, `ends before this "+"`},
		{`  - {name: it's, eval: while 1 ⟨{}}`, `the text "while 1" ends before this "{"`},
		{"  - {name: a,\n     eval: f ⟨{} y}", `the text "f" ends before this "{"`},
		{"a: {error: [ x ⟨}\nb: c", `unexpected "}": "]" must come first`},
		{"a: ⟨{executable: x\nversion: 1.0.0", `this "{" is never closed`},
		{"a: ⟨{executable: x", `this "{" is never closed`},
		{"  - ⟨{name: a # x, eval: b}\nc: d", `this "{" is never closed`},
		{`a: {b: c} ⟨d}`, `"d}" follows the closing bracket`},
		{`a: {"b":c, d: {e: [f, "g: h", 'it''s'], i: }, j: k:l, m: '{'} # {`, ""},
		{"a: {b: c,\n  d: e,\n}", ""},
		{"a: {b: c, # d: {\n  d: e}", ""},
		{`a: {b: "c\`, ""},
		{`a: b`, ""},
	} {
		place := strings.Index(c.text, "⟨")
		text := strings.Replace(c.text, "⟨", "", 1)
		start := flowStart(strings.SplitN(text, "\n", 2)[0])
		if start < 0 {
			assert.Empty(t, c.why, text)
			continue
		}
		at, why, ok := flowFault(text, start)
		assert.Equal(t, c.why != "", ok, "%s: %s", text, why)
		assert.Contains(t, why, c.why, text)
		if ok {
			assert.Equal(t, place, at, text)
		}
	}
}

// Nothing makes it panic, and a fault is within the text.
func FuzzFlowFault(f *testing.F) {
	f.Add(`{a: "b", c: [d, 'e'], f: {g: h}}`)
	f.Add("[a: b,\n c] # d")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range strings.Split(text, "\n") {
			flowStart(line)
		}
		if text == "" || text[0] != '{' && text[0] != '[' {
			return
		}
		at, why, ok := flowFault(text, 0)
		if ok {
			require.NotEmpty(t, why)
			require.LessOrEqual(t, at, len(text))
		}
	})
}
