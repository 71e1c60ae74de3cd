package session

import (
	"bytes"
	"strings"

	"ripple/runtime/internal/vt"
	"ripple/runtime/pty"
)

// typedLine is a line that a person edits. What it says is known exactly where the
// terminal edits it; where the program does, it is what the program shows.
type typedLine struct {
	who    int        // types it
	edited *pty.Line  // by the terminal; nil: by the program
	screen *vt.Screen // from the prompt on
	prompt string     // its last line
	sent   sentLine   // the keys that were sent last

	changed int64 // how many bytes had been received when a key last changed what the terminal edits

	echoes  bool   // what was sent last is shown
	entered bool   // its end was typed, and whether the program takes it is not known
	below   bool   // the line feed of that came
	after   []byte // what came behind it

	more        bool // it goes on after a line's end
	interrupted bool // Ctrl-C was typed
	broken      bool // as the last key
	owed        bool // it was, and is for the command that the line becomes
	unseen      bool // nobody was seen to type it
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
	if l.edited != nil {
		l.edited.Drop()
	}
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

// code is what was typed; from a screen it is what stands behind the prompt, and of
// several lines also those behind it.
func (l *typedLine) code() string {
	if l.edited != nil {
		return strings.TrimSpace(shownAs(l.edited.Bytes()))
	}
	return l.seen()
}

// seen is what is shown of it.
func (l *typedLine) seen() string {
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

// shownAs is text as a terminal shows it: control characters as ^X (ECHOCTL).
func shownAs(text []byte) string {
	var b strings.Builder
	for _, c := range text {
		if (c < ' ' || c == 0x7f) && c != '\n' && c != '\t' {
			b.WriteByte('^')
			c ^= 0x40
		}
		b.WriteByte(c)
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// Typed is a command that a person typed.
type Typed struct {
	core *core
	c    *command
}

// Code is what was typed: the lines themselves where the terminal edits lines, else what the
// program showed. It is empty when a command began that nobody was seen to type.
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
