package contract

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.org/ripple/runtime/session"
)

func TestRecorder(t *testing.T) {
	var b bytes.Buffer
	r := NewRecorder(&b, 80, 24)
	at := func(ms int, k session.EventKind, data, text string) {
		r.Observe(session.Event{At: time.Duration(ms) * time.Millisecond, Kind: k, Data: []byte(data), Text: text})
	}
	at(10, session.EventRead, "$ ", "")
	at(20, session.EventPhase, "", "phase ready")
	r.Mark(25*time.Millisecond, "first")
	at(1030, session.EventWrite, "echo é\n", "")
	at(1031, session.EventRead, "\xc3", "")
	at(1032, session.EventRead, "\xa9\x1b[0m\r\n", "")
	at(1033, session.EventResize, "", "100x30")
	at(1034, session.EventRead, "\xe6\xbc", "")
	at(1030, session.EventExit, "", "the program ended with exit code 3")
	require.NoError(t, r.Close())
	assert.Equal(t, `{"version":3,"term":{"cols":80,"rows":24}}
[0.010000, "o", "$ "]
[0.015000, "m", "first"]
[1.005000, "i", "echo é\n"]
[0.002000, "o", "é\u001b[0m\r\n"]
[0.001000, "r", "100x30"]
[0.000000, "o", "\ufffd\ufffd"]
[0.000000, "x", "3"]
`, b.String())
}

func TestRecorderOfASignal(t *testing.T) {
	assert.Equal(t, "-1", exitStatus("the program was ended by a signal: killed"))
}

// However reads split the text, a recording plays back the same text.
func TestRecorderSplitAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var b bytes.Buffer
		r := NewRecorder(&b, 80, 24)
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			r.Observe(session.Event{Kind: session.EventRead, Data: rest[:n]})
			rest = rest[n:]
		}
		require.NoError(t, r.Close())
		var played strings.Builder
		for i, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
			require.True(t, utf8.ValidString(line))
			if i > 0 {
				var event [3]any
				require.NoError(t, json.Unmarshal([]byte(line), &event))
				played.WriteString(event[2].(string))
			}
		}
		require.Equal(t, text, played.String())
	})
}

func TestRecorderReportsItsWriter(t *testing.T) {
	r := NewRecorder(brokenPipe{}, 80, 24)
	r.Mark(0, "x")
	assert.ErrorIs(t, r.Close(), errBroken)
}

func TestNoRecorder(t *testing.T) {
	var r *Recorder
	r.Observe(session.Event{})
	r.Mark(0, "")
	assert.NoError(t, r.Close())
}
