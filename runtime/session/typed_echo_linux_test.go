//go:build linux

package session

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// typingAt returns a driver at whose prompt a user types a line that the terminal edits, and what it
// passes on as unsolicited output. The program is cat; its output is what the test passes to take.
func typingAt(t *testing.T, echo bool) (d *driver, said func() string) {
	t.Helper()
	var mu sync.Mutex
	var text []byte
	d = newDriver(Options{SpillDir: t.TempDir(), OutOfBand: func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		text = append(text, b...)
	}})
	d.term, d.prog = cat(t, echo), &program{}
	d.prog.unsolicited.enabled = true
	d.kernel.term, d.kernel.events = d.term, &d.events
	d.detect, d.stream, d.printer = newDetector(&d.prog.prompts), newStream(d.prog), newPrinter(d.core)
	d.stream.region, d.control.state.Step = regionIdle, machine.StepReady
	require.Eventually(t, func() bool { return d.term.Readiness().State == pty.Waiting }, testkit.Patience(10*time.Second), time.Millisecond)
	d.happened(d.typist.begin)
	return d, func() string {
		mu.Lock()
		defer mu.Unlock()
		return string(text)
	}
}

func types(d *driver, key string, ends int) {
	d.happened(func() { d.typist.edit(&typedKeys{who: 1, raw: []byte(key), ends: ends}) })
}

// If the echo is switched off before the terminal has echoed a key, output of a job that has arrived
// since belongs to the job, however it is split.
func TestEchoIsSwitchedOffWhileAKeyIsPending(t *testing.T) {
	const job = "job\r\n"
	testkit.EachSplit([]byte(job), func(pieces ...[]byte) {
		d, said := typingAt(t, false)
		d.typist.line.arrived.echo.expect([]byte("x")) // it was typed while the echo was on
		for _, piece := range pieces {
			d.happened(func() { d.take(piece) })
		}
		types(d, "\r", 1)
		assert.Eventually(t, func() bool { return said() == "job\n" }, testkit.Patience(10*time.Second), time.Millisecond, "%q", pieces)
	})
}

// A job that prints much without the end of a line while a key is pending costs no memory, and all of
// it is unsolicited output, even if the key may make the editor list something.
func TestALongLineOfAJobIsNotKept(t *testing.T) {
	for name, tt := range map[string]struct{ key, shown string }{"a character": {"x", "x"}, "Tab": {"\t", ""}} {
		t.Run(name, func(t *testing.T) {
			d, said := typingAt(t, true)
			l := d.typist.line
			l.edited = nil // the program edits the line
			d.happened(func() {
				l.arrived.give([]byte(tt.key), 0)
				l.sent = sentLine{at: time.Now(), to: 1 << 30} // the program has not drawn it
			})
			text := bytes.Repeat([]byte("j"), 4<<10)
			for range 3 * keptStartup / len(text) {
				d.happened(func() { d.take(text) })
				assert.LessOrEqual(t, len(l.arrived.text), keptStartup)
			}
			d.happened(func() { d.take([]byte("\r\n" + tt.shown)) })
			d.happened(d.typist.divide)
			want := strings.Repeat("j", 3*keptStartup) + "\n"
			assert.Eventually(t, func() bool { return len(said()) >= len(want) }, testkit.Patience(10*time.Second), time.Millisecond)
			assert.True(t, said() == want, "%d bytes of %d", len(said()), len(want))
			assert.Equal(t, tt.shown, l.code())
		})
	}
}

// A job prints much while an editor that is not scheduled displays nothing: what it displays then, of
// keys given long before, is the user's line.
func TestKeysThatAreDisplayedLate(t *testing.T) {
	d, said := typingAt(t, true)
	l := d.typist.line
	l.edited = nil // the program edits the line
	give := func(keys string) {
		d.happened(func() {
			l.arrived.give([]byte(keys), 0)
			l.sent = sentLine{at: time.Now(), to: 1 << 30} // the program has not drawn it
		})
	}
	much := bytes.Repeat([]byte("#1\r\n"), keptStartup/4+1)
	give("ch")
	d.happened(func() { d.take(much) })
	give("o ")
	d.happened(func() { d.take(much) })
	d.happened(func() { d.take([]byte("#20ch\r\x1b[21Co \r\x1b[23C31\r\n")) })
	d.happened(d.typist.divide)
	assert.Eventually(t, func() bool { return strings.HasSuffix(said(), "#2031\n") }, testkit.Patience(10*time.Second), time.Millisecond)
	assert.False(t, strings.Contains(said(), "ch"), "the user's line")
}

// The rest of another program's line may arrive between the keys of a whole line and their echo, also where ripple lets
// the terminal edit lines for the program: it is not taken for the end of the user's line.
func TestAnotherProgramsLineEndsBeforeTheEcho(t *testing.T) {
	testkit.EachSplit([]byte("\r\n#15\r\nhi\r\n"), func(pieces ...[]byte) {
		d, said := typingAt(t, true)
		d.typist.uncook = func() {}
		d.happened(func() { d.take([]byte("#14")) })
		types(d, "h", 0)
		types(d, "i", 0)
		types(d, "\r", 1)
		for _, piece := range pieces {
			d.happened(func() { d.take(piece) })
		}
		assert.Eventually(t, func() bool { return said() == "#14\n#15\n" }, testkit.Patience(10*time.Second), time.Millisecond, "%q: %q", pieces, said())
	})
}
