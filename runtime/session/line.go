package session

import (
	"bytes"
	"strings"
	"unicode"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/pty"
)

// typedLine is a line that a user edits. Its content is known exactly if the terminal edits it; if
// the program does, only what the program displays is known.
type typedLine struct {
	who     int        // the user who types it
	edited  *pty.Line  // the line as the terminal edits it; nil: the program edits it
	screen  *vt.Screen // starts with the prompt
	prompt  string     // the prompt's last line
	sent    sentLine   // the keys sent last
	arrived arrived
	plain   plainKeys

	changed int64 // number of bytes read when a key last changed the terminal's line

	echoes  bool     // the input sent last is echoed
	entered bool     // its end was typed, and whether the program accepts it is unknown
	up      int      // number of rows by which the editor has moved the cursor up since then
	below   bool     // the line feed of its end was echoed
	after   []byte   // the text after that
	known   []string // the lines as they were displayed when keys were last given to the program
	again   []string // those that the editor draws once more now: not yet seen

	more             bool // it continues after a line's end
	interrupted      bool // Ctrl-C was typed
	broken           bool // Ctrl-C was the last key
	interruptPending bool // Ctrl-C was typed, and is for the command that the line becomes
	left             bool // the user has left the terminal
	unseen           bool // its input was not seen
	announced        bool // the caller knows the command that it became
	began            bool // a prompt is being redrawn

	prompting bool   // a continuation prompt is being drawn
	asked     []byte // its text so far
}

func newTypedLine(cols, rows int, prompt []byte) *typedLine {
	l := &typedLine{screen: vt.New(vt.Options{Cols: cols, Rows: rows})}
	l.screen.Write(prompt)
	l.promptEnds()
	return l
}

// promptBegins notes that the prompt is being redrawn, and the line after it.
func (l *typedLine) promptBegins() {
	cols, rows := l.screen.Size()
	l.screen = vt.New(vt.Options{Cols: cols, Rows: rows})
	l.entered, l.more, l.interrupted, l.below, l.after, l.again, l.began = false, false, false, false, nil, nil, true
	if l.edited != nil {
		l.edited.Drop()
	}
}

// promptEnds notes that the prompt has been drawn.
func (l *typedLine) promptEnds() {
	text := l.text()
	l.prompt, l.began = strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], " "), false
}

// take adds text that the program displays.
func (l *typedLine) take(b []byte) {
	if l.below {
		l.after = appendBounded(l.after, b, beginSlack)
		return
	}
	n := len(b)
	if !l.entered || len(l.again) > 0 {
		l.up = 0
	} else if end := l.endIn(b); end > 0 {
		n, l.below = end, true
		l.after = appendBounded(l.after, b[n:], beginSlack)
	}
	l.screen.Write(b[:n])
}

// endIn returns the length of text up to the line feed that leaves the last row of the line; 0: there is none. Before that, an
// editor may move the cursor up, to draw other rows, and come back with line feeds.
func (l *typedLine) endIn(b []byte) (end int) {
	eachToken(b, func(t *vt.Token) {
		switch {
		case t.Kind == vt.CSI && t.Prefix == 0 && t.Final == 'A':
			l.up += t.Params.Count(0)
		case t.Kind == vt.CSI && t.Prefix == 0 && t.Final == 'B':
			l.up = max(0, l.up-t.Params.Count(0))
		case t.Kind == vt.Text:
			for i, c := range t.Raw {
				switch {
				case c != '\n' || end > 0:
				case l.up > 0:
					l.up--
				default:
					end = int(t.Offset) + i + 1
				}
			}
		}
	})
	return end
}

// continueLine notes that the end of a line did not end the command. It returns whole lines that
// other programs have printed since.
func (l *typedLine) continueLine() (foreign []byte) {
	after := l.after
	l.entered, l.below, l.after, l.again, l.more = false, false, nil, nil, true
	end := bytes.LastIndexByte(after, '\n') + 1
	own, foreign := l.divideLines(after[:end])
	l.take(append(own, after[end:]...))
	return foreign
}

// code returns the typed text; from a screen, the text after the prompt and, of several lines, the
// lines that follow.
func (l *typedLine) code() string {
	if l.edited != nil {
		return strings.TrimSpace(shownAs(l.edited.Bytes()))
	}
	return l.seen()
}

// seen returns the part of the line that is displayed.
func (l *typedLine) seen() string {
	text := l.text()
	if l.interrupted { // a terminal that edits lines shows ^C and discards the text before it
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

// displayed reports whether a line that the terminal edits is displayed: of a command that the program asks for more of, the
// last line, since the prompts of further lines are not known.
func (l *typedLine) displayed() bool {
	code := l.code()
	if !l.more || code == "" {
		return l.seen() == code
	}
	line := l.edited.Bytes()
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	return strings.HasSuffix(strings.TrimRight(l.text(), " "), strings.TrimSpace(shownAs(line)))
}

func (l *typedLine) text() string { return strings.TrimRight(string(l.screen.AppendText(nil)), "\n") }

// shownAs returns text as a terminal displays it: control characters as ^X (ECHOCTL).
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

// plainKeys are the keys of a line if they are only characters and the key that ends it. With them, a line
// break at which an editor wraps the line is known not to be a part of it.
type plainKeys struct {
	text  []byte
	ended bool // the line's end was typed
	other bool // other keys were typed
}

// add records keys.
func (p *plainKeys) add(raw []byte) {
	text := bytes.TrimRight(raw, "\r\n")
	p.other = p.other || p.ended || len(p.text)+len(text) > keptStartup || bytes.ContainsFunc(text, unicode.IsControl)
	if p.other {
		p.text = nil
		return
	}
	p.text, p.ended = append(p.text, text...), len(text) < len(raw)
}

// of returns the keys if code is what an editor displays for them, otherwise code.
func (p *plainKeys) of(code string) string {
	if typed := string(p.text); !p.other && withoutBlanks(typed) == withoutBlanks(code) {
		return strings.TrimSpace(typed)
	}
	return code
}

func withoutBlanks(text string) string { return strings.Join(strings.Fields(text), "") }

// TypedCommand is a command that a user typed.
type TypedCommand struct {
	core *core
	c    *command
}

// Code returns the typed text: the lines themselves if the terminal edits lines, else the text that
// the program displayed, without the line breaks at which it wrapped a line whose keys are known. It is empty for a command that started without typed input.
func (t *TypedCommand) Code() string {
	t.core.mu.Lock()
	defer t.core.mu.Unlock()
	return t.c.typed.plain.of(t.c.typed.code())
}

// Wait waits for the command to end and returns its result; the errors are those of Eval.
func (t *TypedCommand) Wait() (Result, error) {
	<-t.c.done
	return t.c.result, t.c.err
}
