package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"example.org/ripple/runtime/session"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain é 漢字 🙂", "plain é 漢字 🙂"},
		{"\x1b[1m\x07\x7f\x00", `\x1b[1m\x07\x7f\x00`},
		{"a\r\nb\tc", "a\\r\\n\nb\\tc"},
		{"end\n", `end\n`},
		{"\xff\xc3", `\xff\xc3`},
		{"\u200b\u202e", `\u200b\u202e`},
		{"e\u0301", "e\u0301"},
		{"", ""},
	} {
		assert.Equal(t, c.want, escaped(c.in))
	}
	assert.Equal(t, `a\nb\n`, quoted("a\nb\n"))
}

func TestCut(t *testing.T) {
	assert.Equal(t, "short", cut("short", 5))
	assert.Equal(t, "ab …6 bytes… ij", cut("abcdefghij", 4))
	assert.Equal(t, "a …6 bytes… b", cut("aééé"+"b", 4), "a character is not cut")
}

func TestTraceKeepsBothEnds(t *testing.T) {
	var tr trace
	tr.Observe(session.Event{Kind: session.EventRead, Data: []byte("banner> ")})
	tr.reset()
	for i := range 500 {
		tr.Observe(session.Event{At: time.Second + time.Duration(i)*time.Millisecond, Kind: session.EventRead, Data: fmt.Appendf(nil, "line %d\n", i)})
	}
	line := tr.timeline()
	assert.Len(t, line, traceHead+1+traceTail)
	assert.Equal(t, TimelineEntry{0, `read 7: line 0\n`}, line[0])
	assert.Equal(t, TimelineEntry{460, "… 440 events not shown …"}, line[traceHead])
	assert.Equal(t, TimelineEntry{499, `read 9: line 499\n`}, line[len(line)-1])
	assert.Equal(t, "banner> ", tr.firstPrompt())
	assert.Contains(t, tr.received(), "line 0\\n")
	assert.Contains(t, tr.received(), " bytes…")
	assert.Contains(t, tr.received(), "line 499\\n")
}

func TestTraceExcerpts(t *testing.T) {
	long := session.Event{Kind: session.EventWrite, Data: []byte(strings.Repeat("x", 1000))}
	assert.Equal(t, "write 1000: "+strings.Repeat("x", 36)+" …928 bytes… "+strings.Repeat("x", 36), describe(long))
	assert.Equal(t, "marker: D;0", describe(session.Event{Kind: session.EventMarker, Text: "D;0"}))
	assert.Equal(t, "timer", describe(session.Event{Kind: session.EventTimer}))
}

// However bytes arrive, the window shows the beginning, the end and the number of bytes.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		var all strings.Builder
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 5000), 0, 8).Draw(t, "sizes") {
			piece := strings.Repeat(string(rune('a'+all.Len()%26)), n)
			all.WriteString(piece)
			w.add([]byte(piece))
		}
		text := all.String()
		want := text
		if over := len(text) - 2*traceBytes; over > 0 {
			want = fmt.Sprintf("%s\n…%d bytes…\n%s", text[:traceBytes], over, text[len(text)-traceBytes:])
		}
		if got := w.escaped(); got != want {
			t.Fatalf("want %d bytes, got %d", len(want), len(got))
		}
	})
}
