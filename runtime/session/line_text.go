package session

import (
	"bytes"
	"strings"
	"time"

	"example.com/ripple/runtime/internal/echo"
	"example.com/ripple/runtime/internal/prompt"
	"example.com/ripple/runtime/internal/vt"
	"example.com/ripple/runtime/pty"
)

// arrived is the text that arrives while a user edits a line, until it is known whether it shows
// the line or belongs to another program. If the terminal edits the line, its echo is known byte for
// byte. If the program does, text that arrives although the program has not run is not its own;
// other text is divided when the program waits again.
type arrived struct {
	keys []byte // given to the program since it last waited
	last []byte // the keys before
	text []byte // the text since then
	idle uint64 // the program's wait ID when all that it had printed was read; 0: unknown

	owed    echo.Pending // the terminal's echo
	echoes  [][]byte     // the same, in order
	inexact bool         // the terminal's echo of the latest keys is not known
}

// settled reports whether all text has been divided, and no key may have an effect.
func (a *arrived) settled() bool { return len(a.keys) == 0 && len(a.text) == 0 }

// expectEcho records keys that are given to a terminal that edits lines; before is the text of the
// lines before them.
func (l *typedLine) expectEcho(modes *pty.Modes, raw []byte, before string) {
	after := string(l.edited.Bytes())
	a := &l.arrived
	var shown []byte
	switch text := bytes.TrimSuffix(raw, []byte("\r")); {
	case plain(text) && strings.TrimSuffix(after, "\n") == before+string(text):
		shown = modes.Echo(raw)
	case len(raw) == 1 && strings.HasPrefix(before, after) && ascii([]byte(before)):
		shown = bytes.Repeat([]byte("\b \b"), len(before)-len(after))
	default:
		a.inexact = true
	}
	if !a.inexact && len(shown) > 0 && modes.Echoes() {
		a.owed.Expect(shown)
		a.echoes = append(a.echoes, shown)
	}
}

// takeEcho adds text that arrives while the terminal edits the line, and returns the text that is
// not its echo.
func (l *typedLine) takeEcho(b []byte) (foreign []byte) {
	a := &l.arrived
	if a.inexact {
		l.take(append(a.owed.Flush(), b...))
		a.echoes, a.inexact = nil, l.seen() != l.code()
		return nil
	}
	foreign = a.owed.Feed(b)
	for len(a.echoes) > len(a.owed) {
		l.take(a.echoes[0])
		a.echoes = a.echoes[1:]
	}
	return foreign
}

// expectNoEcho makes all further text the line's.
func (l *typedLine) expectNoEcho() {
	l.take(l.arrived.owed.Flush())
	l.arrived.echoes = nil
}

// give records keys that the program gets; idle is its wait ID before it gets them.
func (a *arrived) give(raw []byte, idle uint64) {
	if a.keys = append(a.keys, raw...); len(a.keys) == len(raw) && len(a.text) == 0 {
		a.idle = idle
	}
}

// arrives divides text that arrives while a user edits a line between the line and other programs.
func (t *editing) arrives(b []byte) {
	l := t.line
	a := &l.arrived
	switch {
	case l.unseen || l.began || t.stream.region == regionPrompt:
		t.divide()
		l.take(b)
	case l.entered:
		t.foreign(l.takeEnd(b), len(b))
	case l.edited != nil:
		t.foreign(l.takeEcho(b), len(b))
	case len(a.text) == 0 && a.idle != 0 && t.kernel.waitNow() == a.idle:
		t.foreign(b, len(b))
	default:
		a.text = appendBounded(a.text, b, keptStartup)
		if !t.settle() {
			t.settleLater()
		}
	}
}

// foreign passes on text of other programs, of the latest n bytes of text.
func (t *editing) foreign(text []byte, n int) {
	if len(text) == 0 {
		return
	}
	if len(text) == n {
		t.events.ledger.last(n, TakenOutOfBand)
	}
	t.flow.pass(classified{unsolicited: text})
}

// settle divides the text that has arrived, once the program waits again, and reports whether
// nothing is left that may arrive because of the keys so far.
func (t *editing) settle() bool {
	a := &t.line.arrived
	if a.settled() || t.line.entered {
		return true
	}
	idle := t.kernel.waitNow() // before the look at its output, which must have been read by then
	if !t.consumed() {
		return false
	}
	t.divide()
	a.idle = idle
	return true
}

// settleLater settles the line as soon as the program waits again. It polls, because nothing reports
// that the program waits.
func (t *editing) settleLater() {
	if t.settling {
		return
	}
	t.settling = true
	go func() {
		timer := time.NewTimer(firstPoll)
		defer timer.Stop()
		for gap, done := firstPoll, false; !done; gap = min(gap*2, longestPoll) {
			select {
			case <-timer.C:
			case <-t.life.dead:
				return
			}
			t.locked(func() {
				done = t.line == nil || t.settle()
				t.settling = !done
			})
			timer.Reset(gap)
		}
	}()
}

// divide divides the text that has arrived since the program last waited.
func (t *editing) divide() {
	l := t.line
	a := &l.arrived
	n := len(a.text)
	own, foreign := divide(a.keys, a.last, a.text)
	l.take(own)
	if len(a.keys) > 0 {
		a.last = a.keys
	}
	a.keys, a.text, a.idle = nil, nil, 0
	t.foreign(foreign, n)
}

// divide divides text that a line editor and other programs have displayed since keys were given to
// the editor; last are the keys before. Only whole lines are known to belong to another program: an
// editor draws within its line, and what it displays below that it returns from.
func divide(keys, last, text []byte) (own, foreign []byte) {
	end := bytes.LastIndexByte(text, '\n') + 1
	switch {
	case len(text) == 0, lists(keys) || returns(text):
		return text, nil
	case end == 0 && len(keys) == 0 && plain(text) && !bytes.Contains(last, text):
		return nil, text
	case end == 0:
		return text, nil
	}
	if lines, rest, ok := echo.Cut(keys, text); ok && len(keys) > 0 && drawn(lines, true) == 0 {
		own, foreign = rest, lines
	} else {
		for line := range bytes.Lines(text[:end]) {
			n := drawn(line, len(keys) > 0)
			own, foreign = append(own, line[:n]...), append(foreign, line[n:]...)
		}
		own = append(own, text[end:]...)
	}
	if strings.TrimSpace(prompt.Visible(foreign)) == "" { // the editor wrapped its line
		return text, nil
	}
	return own, foreign
}

// takeEnd adds text that arrives after the line's end was typed, and returns whole lines that came
// before the echo of that end: they are neither blank nor the end of the line.
func (l *typedLine) takeEnd(b []byte) (foreign []byte) {
	a := &l.arrived
	a.text = append(a.text, b...)
	for !l.below && len(a.text) > 0 {
		end := bytes.IndexByte(a.text, '\n') + 1
		line := bytes.TrimRight(a.text[:end], "\r\n")
		switch {
		case end == 0 && len(a.text) < maxUnsolicitedLine:
			return foreign // its end may follow
		case end == 0:
			end = len(a.text)
			l.take(a.text)
		case len(line) > 0 && plain(line) && !strings.HasSuffix(l.code(), string(line)):
			foreign = append(foreign, a.text[:end]...)
		default:
			l.take(a.text[:end])
		}
		a.text = a.text[end:]
	}
	l.take(a.text)
	a.text = nil
	return foreign
}

// lists reports whether keys may make a line editor display other text than the line: completions,
// or a history.
func lists(keys []byte) bool {
	return bytes.ContainsFunc(keys, func(r rune) bool { return r < ' ' && r != '\b' })
}

// returns reports whether text moves the cursor to an earlier line.
func returns(text []byte) (moves bool) {
	eachSequence(text, func(t *vt.Token) {
		switch t.Kind {
		case vt.CSI:
			moves = moves || strings.IndexByte("AFHLMSTdfru", t.Final) >= 0 && t.Prefix == 0
		case vt.Escape:
			moves = moves || t.Final == 'M' || t.Final == '8'
		}
	})
	return moves
}

// drawn returns the length of text up to the last control sequence or character other than a tab or
// the end of a line. Colors count if the editor may have used them.
func drawn(text []byte, colors bool) (end int) {
	for i, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != esc && (c != '\r' || i+1 < len(text) && text[i+1] != '\n') {
			end = i + 1
		}
	}
	eachSequence(text, func(t *vt.Token) {
		if colors || t.Kind != vt.CSI || t.Final != 'm' {
			end = max(end, int(t.Offset)+len(t.Raw))
		}
	})
	return end
}

const esc = 0x1b

// eachSequence calls f with the control sequences in text.
func eachSequence(text []byte, f func(*vt.Token)) {
	parser := vt.ForText()
	each := func(t *vt.Token) {
		if t.Kind != vt.Text && !t.Inside {
			f(t)
		}
	}
	parser.Feed(text, each)
	parser.Flush(each)
}

// plain reports whether text has no control characters other than tabs.
func plain(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return (r < ' ' && r != '\t') || r == 0x7f })
}

// ascii reports whether each byte of text takes one column.
func ascii(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f })
}
