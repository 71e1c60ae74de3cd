package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/schema"
)

// A prompt that comes again before the terminal has echoed the line came before the line, which the program will still
// read: if it were sent again, it would run twice.
func TestPromptAgainBeforeTheLine(t *testing.T) {
	const prompt = "\x1b]633;D;0;1;n\a\x1b]633;A;1;n\a% \x1b]633;B;n\a"
	for _, tt := range []struct {
		name, text string
		silent     bool // the program does not announce the start of a command
		asks       bool // the prompt is a reason to ask whether the program waits for a line
	}{
		{"before the line", prompt, false, false},
		{"before a part of the line", "ech" + prompt + "o a\r\n", false, false},
		{"after the line", "echo a\r\n" + prompt, false, true},
		{"before the line and after it", prompt + "echo a\r\n" + prompt, false, true},
		{"the command may have printed it", "echo a\r\n" + prompt, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.text), func(pieces ...[]byte) {
				d := newDriver(Options{SpillDir: t.TempDir()})
				d.prog = &program{}
				d.detect = newDetector(&prompts{markers: &schema.ShellIntegration{Nonce: "required", Numbered: true}, nonce: "n"})
				d.printer = newPrinter(d.core)
				take := func(p segment) bool { d.flow.segment(p); return true }
				d.control.state.Step = machine.StepReady
				d.detect.pieces([]byte(prompt), take)
				d.status.byMarker, d.prog.output.announced = true, !tt.silent
				d.interrupted()
				d.cmd = &command{line: sentLine{at: time.Now()}, prelude: newPrelude(echo.Config{Kernel: []byte("echo a\r\n")}, 7, true, true)}
				d.control.state.Step = machine.StepRunning
				d.stream.outputBegins()
				for _, b := range pieces {
					d.detect.pieces(b, take)
				}
				assert.Equal(t, tt.asks, d.control.state.Evidence == machine.EvidenceMarker, "%q", pieces)
			})
		})
	}
}
