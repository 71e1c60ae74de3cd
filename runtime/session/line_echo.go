package session

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"example.org/ripple/runtime/pty"
)

// lineEcho separates the terminal's echo of a user's keys from output of other programs. The echo is
// known byte for byte; but other programs may print the same bytes, and the two are mixed in the
// order in which the kernel received them.
type lineEcho struct {
	owed [][]byte // the echo of each key that has not been seen yet, in order
	text []byte   // text that may contain it
}

// divided is text that has been divided at the end of the last echo in it.
type divided struct {
	echo   []byte // all echo
	before []byte // other text before that end
	after  []byte
}

// expect records the expected echo of a key.
func (e *lineEcho) expect(echo []byte) {
	if len(echo) > 0 {
		e.owed = append(e.owed, echo)
	}
}

// feed adds text, and returns what is certain.
func (e *lineEcho) feed(b []byte) divided {
	e.text = append(e.text, b...)
	whole, detours := bytes.Join(e.owed, nil), maxDetours
	switch n := len(e.text) - len(whole); {
	case len(whole) == 0:
		return e.take(nil)
	case bytes.HasPrefix(whole, e.text):
		return e.take(e.arrivedWhole())
	case whole[len(whole)-1] == '\n': // the key that ends a line
		if at := find(e.text, [][]byte{whole}, lineStarts, &detours); at != nil {
			return e.take(eachAt(e.owed, at[0]))
		}
		if at := find(e.text, e.owed, lineStarts, &detours); at != nil {
			return e.take(at)
		}
	case n > 0 && e.text[n-1] == '\n' && bytes.HasSuffix(e.text, whole):
		return e.take(eachAt(e.owed, n))
	}
	if len(e.text) > keptStartup {
		return e.decideLines()
	}
	return divided{}
}

// decideLines divides text that is too long to be kept. A terminal that is busy may echo in the middle
// of a line. If no echo is in the text, its whole lines belong to other programs, and the echo may
// follow.
func (e *lineEcho) decideLines() divided {
	detours := maxDetours
	for _, p := range []places{lineStarts, lineEnds, anywhere} {
		for n := len(e.owed); n > 0; n-- {
			if at := find(e.text, e.owed[:n], p, &detours); at != nil {
				return e.take(at)
			}
		}
	}
	end := bytes.LastIndexByte(e.text, '\n') + 1
	if end == 0 {
		return e.decide(true)
	}
	d := divided{before: e.text[:end:end]}
	e.text = e.text[end:]
	return d
}

// decide divides the text once the terminal has had time to echo all keys. If it is final and an
// echo was not found, the terminal did not echo: no text is an echo.
func (e *lineEcho) decide(final bool) divided {
	if len(e.text) == 0 && final {
		e.owed = nil
	}
	if len(e.text) == 0 || len(e.owed) == 0 {
		return e.take(nil)
	}
	detours := maxDetours
	if at := find(e.text, [][]byte{bytes.Join(e.owed, nil)}, lineStarts, &detours); at != nil {
		return e.take(eachAt(e.owed, at[0]))
	}
	for _, p := range []places{lineStarts, lineEnds, anywhere} {
		if at := find(e.text, e.owed, p, &detours); at != nil && (final || p != anywhere) {
			return e.take(at)
		}
	}
	if !final {
		return divided{}
	}
	for n := len(e.owed) - 1; n > 0; n-- { // some keys were not echoed
		if at := find(e.text, e.owed[:n], lineEnds, &detours); at != nil {
			d := e.take(at)
			e.owed = nil
			d.after = append(d.after, e.take(nil).after...)
			return d
		}
	}
	e.owed = nil
	return e.take(nil)
}

// arrivedWhole returns the positions of the echoes of which the text consists, as far as they are
// complete.
func (e *lineEcho) arrivedWhole() (at []int) {
	end := 0
	for _, echo := range e.owed {
		if end+len(echo) > len(e.text) {
			break
		}
		at = append(at, end)
		end += len(echo)
	}
	return at
}

// take divides the text at the first echoes, which are at these positions. While others are owed, the
// text after them is kept.
func (e *lineEcho) take(at []int) (d divided) {
	end := 0
	for i, from := range at {
		d.before = append(d.before, e.text[end:from]...)
		d.echo = append(d.echo, e.owed[i]...)
		end = from + len(e.owed[i])
	}
	e.owed = e.owed[len(at):]
	e.text = e.text[end:]
	if len(e.owed) == 0 {
		d.after, e.text, e.owed = e.text, nil, nil
	}
	return d
}

// eachAt returns the positions of echoes that follow one another from a position on.
func eachAt(owed [][]byte, from int) (at []int) {
	for _, echo := range owed {
		at = append(at, from)
		from += len(echo)
	}
	return at
}

// places says where an echo may be, other than after another one: programs usually print whole lines,
// and the terminal ends their lines separately.
type places uint8

const (
	lineStarts places = iota
	lineEnds          // or before the end of a line
	anywhere
)

// maxDetours bounds the time of a decision: other programs may print the beginning of an echo in each line.
const maxDetours = 1000

// find returns positions of echoes in text, or nil. Another program's line may begin like the rest of the
// echo, so the first position of an echo may not be the right one: trying another one is a detour, of which
// find uses up those that are left. Without any, it takes first positions only.
func find(text []byte, echoes [][]byte, p places, detours *int) []int {
	at := make([]int, len(echoes))
	if !findFrom(0, text, echoes, p, at, detours) {
		return nil
	}
	return at
}

// findFrom finds the positions after end.
func findFrom(end int, text []byte, echoes [][]byte, p places, at []int, detours *int) bool {
	if len(echoes) == 0 {
		return true
	}
	echo := echoes[0]
	for i := end; ; i++ {
		skip := bytes.Index(text[i:], echo)
		if skip < 0 {
			return false
		}
		i += skip
		if i == end || p == anywhere || text[i-1] == '\n' || p == lineEnds && bytes.HasPrefix(text[i+len(echo):], []byte("\r\n")) {
			at[0] = i
			if findFrom(i+len(echo), text, echoes[1:], p, at[1:], detours) {
				return true
			}
			if p == anywhere || *detours == 0 { // if an echo may be anywhere, a later position leaves only less text
				return false
			}
			*detours--
		}
	}
}

// Keys for a terminal that edits lines which change nothing in the line (termios(3)).
const (
	keyLiteral = 0x16 // VLNEXT
	keyReprint = 0x12 // VREPRINT
)

// edit applies keys to the line as the terminal edits it, and expects their echo.
func (l *typedLine) edit(modes *pty.Modes, raw []byte) {
	for i := range raw {
		key := raw[i : i+1]
		before := string(l.edited.Bytes())
		modes.Edit(l.edited, key)
		echo, known := keyEcho(modes, key, before, string(l.edited.Bytes()))
		if !modes.Echoes() || l.arrived.inexact {
			continue
		}
		if known {
			l.arrived.echo.expect(echo)
			continue
		}
		l.guess()
	}
}

// guess notes that the echo of the line is not known exactly.
func (l *typedLine) guess() {
	a := &l.arrived
	a.inexact = true
	a.text = append(a.text, a.echo.text...)
	a.echo = lineEcho{}
}

// echoesAgain notes that the terminal echoes the first key of a further line.
func (l *typedLine) echoesAgain() {
	a := &l.arrived
	if a.inexact && bytes.HasSuffix(l.edited.Bytes(), []byte("\n")) {
		l.take(a.text)
		a.text, a.inexact = nil, false
	}
}

// keyEcho returns the terminal's echo of a key that changed the line from before to after, and
// reports whether it is known. It follows n_tty_receive_char_special and eraser of Linux's
// drivers/tty/n_tty.c.
func keyEcho(modes *pty.Modes, key []byte, before, after string) (echo []byte, known bool) {
	erased, erases := strings.CutPrefix(before, after)
	switch c := key[0]; {
	case c == 0x03, c == 0x1c, c == 0x1a:
		return nil, false
	case len(after) > len(before):
		return modes.Echo(key), true
	case after == before && c == keyLiteral:
		return []byte("^\b"), true
	case after == before && c == keyReprint:
		return append(modes.Echo([]byte{c, '\n'}), modes.Echo([]byte(after[strings.LastIndexByte(after, '\n')+1:]))...), true
	case after == before:
		return nil, true
	case !erases || !utf8.ValidString(erased) || strings.ContainsAny(erased, "\t\n"):
		return nil, false
	}
	for _, r := range erased {
		if r < ' ' || r == 0x7f { // shown as ^X
			echo = append(echo, "\b \b"...)
		}
		echo = append(echo, "\b \b"...)
	}
	return echo, true
}
