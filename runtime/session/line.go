package session

import (
	"bytes"
	"strings"
	"time"

	"ripple/runtime/internal/vt"
)

// typedLine is a line that a person edits, as the program shows it.
type typedLine struct {
	screen *vt.Screen // from the prompt on
	prompt string     // its last line
	sent   sentLine   // the keys that were sent last

	echoes  bool   // what was sent last is shown
	entered bool   // its end was typed, and whether the program takes it is not known
	below   bool   // the line feed of that came
	after   []byte // what came behind it

	more        bool // it goes on after a line's end
	interrupted bool // Ctrl-C was typed
	announced   bool // it is a command that the caller was told of
	began       bool // a prompt is being drawn again
}

func newTypedLine(cols, rows int, prompt []byte) *typedLine {
	l := &typedLine{screen: vt.New(vt.Options{Cols: cols, Rows: rows})}
	l.screen.Write(prompt)
	l.promptEnds()
	return l
}

// promptBegins says that the prompt is drawn anew, and the line behind it.
func (l *typedLine) promptBegins() {
	cols, rows := l.screen.Size()
	l.screen = vt.New(vt.Options{Cols: cols, Rows: rows})
	l.entered, l.more, l.interrupted, l.below, l.after, l.began = false, false, false, false, nil, true
}

// promptEnds says that the prompt has been drawn.
func (l *typedLine) promptEnds() {
	text := l.text()
	l.prompt, l.began = strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], " "), false
}

// take is what the program shows.
func (l *typedLine) take(b []byte) {
	if l.below {
		l.after = appendBounded(l.after, b, keptStartup)
		return
	}
	n := len(b)
	if i := bytes.IndexByte(b, '\n'); l.entered && i >= 0 {
		n, l.below = i+1, true
		l.after = appendBounded(l.after, b[n:], keptStartup)
	}
	l.screen.Write(b[:n])
}

// goesOn says that the end of a line was none of the command.
func (l *typedLine) goesOn() {
	after := l.after
	l.entered, l.below, l.after, l.more = false, false, nil, true
	l.take(after)
}

// code is what stands behind the prompt; of several lines also those behind it.
func (l *typedLine) code() string {
	text := l.text()
	if l.interrupted { // a terminal that edits lines shows that and forgets what is before it
		if i := strings.LastIndex(text, "^C"); i >= 0 && !strings.Contains(text[i:], "\n") {
			return strings.TrimSpace(text[i+len("^C"):])
		}
	}
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(lines[i], l.prompt); ok && (l.prompt != "" || i == len(lines)-1) {
			return strings.TrimSpace(strings.Join(append([]string{rest}, lines[i+1:]...), "\n"))
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (l *typedLine) text() string { return strings.TrimRight(string(l.screen.AppendText(nil)), "\n") }

// arrived says that the program has had the keys that were sent last: it has printed
// something since, or has had the time.
func (l *typedLine) arrived(read int64) bool {
	return read > l.sent.to || time.Since(l.sent.at) >= silentFlight
}

// Typed is a command that a person typed.
type Typed struct {
	core *core
	c    *command
}

// Code is what was typed, as the program showed it.
func (t *Typed) Code() string {
	t.core.mu.Lock()
	defer t.core.mu.Unlock()
	return t.c.typed.code()
}

// Wait returns what the command did when it has ended; the errors are those of Eval.
func (t *Typed) Wait() (Result, error) {
	<-t.c.done
	return t.c.result, t.c.err
}
