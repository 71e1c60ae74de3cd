package session

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/prompt"
)

// arrived is the text that arrives while a user edits a line, until it is known whether it shows
// the line or belongs to another program. If the terminal edits the line, its echo is known byte for
// byte. If the program does, text that arrives although the program has not run is not its own;
// other text is divided when the program waits again.
type arrived struct {
	echo    lineEcho
	inexact bool // the terminal's echo of the latest keys is not known: the text is divided like a program's

	keys   []byte // given to the program since it last waited
	last   []byte // the keys before: those that the editor may still have to display, and some more
	beside others // before the text
	text   []byte // the text since then
	idle   uint64 // the program's wait ID when all that it had printed was read; 0: unknown
}

// settled reports whether all text has been divided, and no key may have an effect.
func (a *arrived) settled() bool {
	return len(a.keys) == 0 && len(a.text) == 0 && len(a.echo.text) == 0 && len(a.echo.owed) == 0
}

// exact reports whether the terminal's echo of the line is known byte for byte.
func (l *typedLine) exact() bool { return l.edited != nil && !l.arrived.inexact }

// give records keys that the program gets; idle is its wait ID before it gets them.
func (a *arrived) give(raw []byte, idle uint64) {
	if a.keys = append(a.keys, raw...); len(a.keys) == len(raw) && len(a.text) == 0 {
		a.idle = idle
	}
}

// takeEcho adds text that arrives while the terminal echoes the line, and returns the text of other
// programs.
func (l *typedLine) takeEcho(b []byte) (foreign []byte) {
	return l.takeDivided(l.arrived.echo.feed(b))
}

// takeDivided takes the echo of the line. Text after the echo of its end may be output of the
// program.
func (l *typedLine) takeDivided(d divided) (foreign []byte) {
	l.take(d.echo)
	if !l.below {
		return append(d.before, d.after...)
	}
	l.take(d.after)
	return d.before
}

// arrives divides text that arrives while a user edits a line between the line and other programs.
func (t *editing) arrives(b []byte) {
	l := t.line
	a := &l.arrived
	switch {
	case l.unseen || l.began || t.stream.region == regionPrompt:
		t.divide()
		l.take(b)
		a.beside = othersNone
	case l.prompting:
		t.flow.foreign(l.ask(b), 0)
	case l.below:
		l.take(b)
	case l.exact():
		if l.entered && !l.echoes && a.settled() {
			l.below = true
			l.take(b)
			return
		}
		t.flow.foreign(l.takeEcho(b), len(b))
		if !a.settled() {
			t.settleLater()
		}
	case l.entered:
		t.flow.foreign(l.takeEnd(b), len(b))
	case len(a.text) == 0 && a.idle != 0 && t.kernel.waitNow() == a.idle:
		a.beside = endOf(b)
		t.flow.foreign(b, len(b))
	default:
		switch a.text = append(a.text, b...); {
		case len(a.text) > keptStartup: // another program prints all the time
			end := bytes.LastIndexByte(a.text, '\n') + 1
			if end == 0 {
				t.divide()
				return
			}
			rest := bytes.Clone(a.text[end:])
			a.text = a.text[:end]
			t.divide()
			a.text, a.beside = rest, othersLine
		case !t.settle():
			t.settleLater()
		}
	}
}

// settle divides the text that has arrived, once the program waits again or the terminal has echoed
// the keys, and reports whether nothing is left that may arrive because of the keys so far.
func (t *editing) settle() bool {
	l := t.line
	a := &l.arrived
	switch passed := time.Since(l.sent.at); {
	case a.settled():
		return true
	case l.exact():
		if final := t.echoed(&l.sent, a); final || passed >= silentFlight {
			t.flow.foreign(l.takeDivided(a.echo.decide(final)), 0)
		}
		return a.settled()
	case l.entered:
		return true
	}
	idle := t.kernel.waitNow() // before the look at its output, which must have been read by then
	if !t.consumed() && (l.edited == nil || time.Since(l.sent.at) < keyTimeout) {
		return false // the program has still to draw the line
	}
	t.divide()
	a.idle = idle
	return true
}

// echoDelay is more than the kernel takes to echo a key after the key was written. Before that, the end
// of a job may have woken the program.
const echoDelay = 10 * time.Millisecond

// echoed reports whether text that has arrived contains the terminal's echo of all keys. The terminal
// echoes the end of a line before it wakes the program. Other keys wake nobody: for them it relies on
// time alone.
func (t *editing) echoed(sent *sentLine, a *arrived) bool {
	if sent.wait != 0 && len(a.echo.text) > 0 && time.Since(sent.at) >= echoDelay && t.term.Queued() == 0 && t.kernel.waitNow() != sent.wait && !t.term.Readable(t.progress.bytes) {
		return true
	}
	return time.Since(sent.at) >= keyTimeout
}

// settleEnd divides the text that has arrived since a line became a command, once the terminal has
// echoed the line's end, and reports whether nothing is left to divide.
func (t *editing) settleEnd(c *command) bool {
	l := c.prelude.typed
	if l == nil || !l.exact() || len(l.arrived.echo.owed) == 0 {
		return true
	}
	if !t.echoed(&c.line, &l.arrived) {
		return false
	}
	t.flow.print(c, t.flow.takeLineEcho(c, l.arrived.echo.decide(true)))
	return true
}

// settleLater settles the line as soon as the program waits again. It polls, because nothing reports
// that the program waits.
func (t *editing) settleLater() {
	if t.settling {
		return
	}
	t.settling = true
	go t.poll(context.Background(), longestPoll, func() (done bool) {
		switch {
		case t.line != nil:
			done = t.settle()
		case t.cmd != nil:
			done = t.settleEnd(t.cmd)
		default:
			done = true
		}
		t.settling = !done
		return done
	})
}

// divide divides the text that has arrived since the program last waited, or since the terminal last
// echoed.
func (t *editing) divide() {
	l := t.line
	a := &l.arrived
	t.flow.foreign(l.takeDivided(a.echo.decide(true)), 0)
	a.echo = lineEcho{}
	l.takeAgain()
	n := len(a.text)
	again := strings.Join(l.again, "\n") // after its prompt the editor draws the line before the latest keys, too
	d := editorText{keys: a.keys, last: append([]byte(again), a.last...), others: a.beside, code: l.code(), prompt: l.prompt}
	own, foreign := d.divide(a.text)
	l.take(own)
	switch {
	case len(a.keys) == 0:
	case d.others == othersNone || len(a.last) > beginSlack:
		a.last = a.keys
	default: // the editor may still have to display the ones before
		a.last = slices.Concat(a.last, a.keys)
	}
	a.keys, a.text, a.idle, a.inexact, a.beside = nil, nil, 0, false, d.others
	t.flow.foreign(foreign, n)
}

// promptsForMore notes that a continuation prompt follows.
func (l *typedLine) promptsForMore() { l.prompting, l.asked = true, nil }

// ask adds text of a continuation prompt, and returns whole lines before the prompt, as
// promptedForMore does, if the text is too long for a prompt.
func (l *typedLine) ask(b []byte) (foreign []byte) {
	if l.asked = append(l.asked, b...); len(l.asked) > keptStartup {
		return l.promptedForMore(false)
	}
	return nil
}

// promptedForMore notes that the continuation prompt has been drawn. If a marker ends the prompt, all
// text is the prompt's. Otherwise it returns whole lines, which belong to other programs, except
// those of the user that a line editor may have drawn.
func (l *typedLine) promptedForMore(marked bool) (foreign []byte) {
	if !l.prompting {
		return nil
	}
	own := l.asked
	if !marked {
		end := bytes.LastIndexByte(own, '\n') + 1
		rest := own[end:]
		own, foreign = l.divideLines(own[:end])
		own = append(own, rest...)
	}
	l.take(own)
	l.prompting, l.asked = false, nil
	return foreign
}

// redraws notes that a line editor draws the next of several lines of a command: it has drawn the text
// before it, too.
func (l *typedLine) redraws() {
	l.take(append(l.arrived.text, l.asked...))
	l.arrived.text, l.asked, l.prompting, l.again = nil, nil, false, nil
}

// others says where the latest text of other programs ended.
type others uint8

const (
	othersNone   others = iota // the line editor has displayed text since
	othersLine                 // at the end of a line
	othersWithin               // within a line, whose rest may follow
)

// endOf returns where other programs' text ends.
func endOf(text []byte) others {
	if text[len(text)-1] == '\n' {
		return othersLine
	}
	return othersWithin
}

// editorText divides text that a line editor and other programs have displayed since keys were given
// to the editor.
type editorText struct {
	keys, last   []byte // the keys, and those before
	others       others // before the text; divide sets it for the next one
	code, prompt string // the line so far, and the prompt's last line
}

// divideLines divides whole lines that have arrived without keys.
func (l *typedLine) divideLines(text []byte) (own, foreign []byte) {
	return (&editorText{code: l.code(), prompt: l.prompt}).divide(text)
}

// divide divides the text. Whole lines are known to belong to another program: an editor draws within
// its line, and what it displays below that it returns from. Where an editor may list something, lines
// that are not the user's count as another program's, so that none of those is lost. The terminal may
// pass on what the editor draws within a line of another program.
func (e *editorText) divide(text []byte) (own, foreign []byte) {
	end := bytes.LastIndexByte(text, '\n') + 1
	tail := text[end:]
	listed := lists(e.keys) || returns(text)
	if len(tail) > keptStartup { // no editor draws so much in one line
		listed, e.others = false, othersWithin
	}
	if lines, rest, ok := echo.Cut(e.keys, text); ok && len(e.keys) > 0 && !listed && drawn(lines, true) == 0 &&
		(len(lines) == 0 || e.mayShow(rest)) && !e.begunBefore(rest[:len(rest)-len(tail)]) { // otherwise the keys were found within a line of another program
		own, foreign = rest[:len(rest)-len(tail)], lines
	} else {
		own, foreign = e.divideWhole(text[:end], listed)
	}
	switch {
	case end == 0:
	case e.others != othersWithin && strings.TrimSpace(prompt.Visible(foreign)) == "": // the editor wrapped its line
		own, foreign, e.others = bytes.Clone(text[:end]), nil, othersNone
	default:
		e.others = othersLine
	}
	switch {
	case len(tail) == 0:
	case end == 0 && len(e.keys) == 0 && plain(tail) && !bytes.Contains(e.last, tail):
		foreign, e.others = tail, othersWithin
	case listed || e.others == othersNone:
		own, e.others = append(own, tail...), othersNone
	default:
		drawing, printed := e.divideTail(tail)
		own, foreign = append(own, drawing...), append(foreign, printed...)
	}
	return own, foreign
}

// begunBefore reports whether the editor has begun to draw the keys, with movements of the cursor between them, before the place
// where they were found in one piece.
func (e *editorText) begunBefore(own []byte) bool {
	at := bytes.LastIndex(own, e.keys)
	if at < 0 || drawn(own[:at], true) == 0 {
		return false
	}
	var shown string
	for piece := range bytes.SplitSeq(own[:at], []byte("\r")) {
		shown += strings.TrimSpace(prompt.Visible(piece))
	}
	for n := range e.keys {
		if strings.HasSuffix(shown, string(e.keys[:n+1])) {
			return true
		}
	}
	return false
}

// mayShow reports whether each piece of text, between movements of the cursor to the beginning of the
// line, may be a part of the prompt and of the user's line.
func (e *editorText) mayShow(text []byte) bool {
	line := e.prompt + e.code + string(e.last) + string(e.keys)
	for piece := range bytes.SplitSeq(text, []byte("\r")) {
		if !strings.Contains(line, strings.TrimSpace(prompt.Visible(piece))) {
			return false
		}
	}
	return true
}

// divideWhole divides whole lines.
func (e *editorText) divideWhole(text []byte, listed bool) (own, foreign []byte) {
	follows := e.others != othersNone
	for line := range bytes.Lines(text) {
		n, from := drawn(line, len(e.keys) > 0), 0
		switch shown := strings.TrimSpace(prompt.Visible(line)); {
		case listed && (shown == "" || strings.Contains(e.code+shownAs(e.keys), shown)):
			n = len(line)
		case !listed && follows:
			from = e.begun(line[:n])
		}
		own, foreign = append(own, line[from:n]...), append(append(foreign, line[:from]...), line[n:]...)
		follows = true
	}
	return own, foreign
}

// divideTail divides the beginning of a line after text of other programs.
func (e *editorText) divideTail(tail []byte) (own, foreign []byte) {
	from := e.begun(tail)
	if from == 0 && e.others != othersWithin {
		e.others = othersNone
		return tail, nil
	}
	n := max(from, drawn(tail, len(e.keys) > 0))
	to := n + e.begun(tail[n:])
	if string(tail[to:]) == "\r" { // of the line's end
		to++
	}
	e.others = othersWithin
	return slices.Concat(tail[from:n], tail[to:]), slices.Concat(tail[:from], tail[n:to])
}

// begun returns the length of the beginning of a line that another program has printed before the
// editor drew something: characters that are neither the prompt, nor in the user's line.
func (e *editorText) begun(line []byte) int {
	n := bytes.IndexFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f })
	if n < 0 {
		n = len(line)
	}
	if e.prompt != "" && bytes.HasPrefix(line, []byte(e.prompt)) {
		return 0
	}
	typed := string(e.last) + string(e.keys)
	from := max(0, n-len(typed)) // a longer end cannot be in it
	for from < n && !(utf8.RuneStart(line[from]) && strings.Contains(typed, string(line[from:n]))) {
		from++
	}
	if strings.Trim(string(line[:from]), " "+e.code+typed) == "" {
		return 0
	}
	return from
}

// takeEnd adds text that arrives after the line's end was typed, and returns whole lines that came
// before the echo of that end: they are neither blank nor the end of the line.
func (l *typedLine) takeEnd(b []byte) (foreign []byte) {
	a := &l.arrived
	a.text = append(a.text, b...)
	for l.takeAgain(); !l.below && len(a.text) > 0; l.takeAgain() {
		end := bytes.IndexByte(a.text, '\n') + 1
		line := strings.TrimSpace(prompt.Visible(a.text[:end]))
		at := drawn(a.text[:end], false)
		switch {
		case end == 0 && len(a.text) < maxUnsolicitedLine:
			return foreign // its end may follow
		case end == 0:
			end = len(a.text)
			l.take(a.text)
		case line != "" && at == 0 && !l.endsWith(line):
			foreign = append(foreign, a.text[:end]...)
		case at > 0 && l.follows(a.text[:at], a.text[at:end]):
			l.again = nil
			l.take(a.text[:at])
			foreign = append(foreign, a.text[at:end]...)
		default:
			l.again = nil
			l.take(a.text[:end])
		}
		a.text = a.text[end:]
	}
	l.take(a.text)
	a.text = nil
	return foreign
}

// takeAgain takes the lines that the editor draws once more: it has drawn its prompt, and them after it.
func (l *typedLine) takeAgain() {
	for a := &l.arrived; len(l.again) > 0 && !l.below; {
		end := bytes.IndexByte(a.text, '\n') + 1
		if end == 0 || !strings.HasSuffix(l.again[0], strings.TrimSpace(prompt.Visible(a.text[:end]))) {
			return
		}
		l.again = l.again[1:]
		l.take(a.text[:end])
		a.text = a.text[end:]
	}
}

// follows reports whether text after a drawing of the line comes from another program: the drawing
// shows the last line completely, or ends with the end of it.
func (l *typedLine) follows(drawing, text []byte) bool {
	code := l.code()
	last := strings.TrimSpace(code[strings.LastIndexByte(code, '\n')+1:])
	after := strings.TrimSpace(prompt.Visible(text))
	shown := strings.TrimSpace(prompt.Visible(bytes.ReplaceAll(drawing, []byte("\r"), []byte("\n")))) // with what the cursor left behind
	end := shown[strings.LastIndexByte(shown, '\n')+1:]
	return after != "" && !strings.HasSuffix(code, after) && last != "" && (strings.Contains(shown, last) || end != "" && strings.HasSuffix(last, end))
}

// endsWith reports whether text may show the end of the line.
func (l *typedLine) endsWith(text string) bool {
	code := l.code()
	last := strings.TrimSpace(code[strings.LastIndexByte(code, '\n')+1:])
	return strings.HasSuffix(code, text) || last != "" && strings.HasSuffix(text, last)
}

// wholeLines returns text up to the end of its last line that is complete, if anything in it is
// visible.
func wholeLines(text []byte) []byte {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if strings.TrimSpace(prompt.Visible(text)) == "" {
		return nil
	}
	return text
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
	eachToken(text, func(t *vt.Token) {
		from := int(t.Offset)
		if t.Kind != vt.Text {
			if colors || t.Kind != vt.CSI || t.Final != 'm' {
				end = max(end, from+len(t.Raw))
			}
			return
		}
		for i := from; i < from+len(t.Raw); i++ {
			if c := text[i]; c < ' ' && c != '\t' && c != '\n' && (c != '\r' || i+1 < len(text) && text[i+1] != '\n') {
				end = max(end, i+1)
			}
		}
	})
	return end
}

// eachSequence calls f with the control sequences in text.
func eachSequence(text []byte, f func(*vt.Token)) {
	eachToken(text, func(t *vt.Token) {
		if t.Kind != vt.Text {
			f(t)
		}
	})
}

func eachToken(text []byte, f func(*vt.Token)) {
	parser := vt.ForText()
	each := func(t *vt.Token) {
		if !t.Inside {
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
