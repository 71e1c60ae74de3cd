//go:build linux || darwin

package pty

import "golang.org/x/sys/unix"

// longestLine is how many bytes of a line a terminal that edits lines keeps (N_TTY_BUF_SIZE less
// the line's end).
const longestLine = 4095

// Line is the result of input to a terminal that edits lines. Its zero value is ready to use.
type Line struct {
	text    []byte
	fixed   int  // bytes that no key erases: the program has received them
	literal bool // the next byte has no special meaning
}

// Bytes returns the lines that have ended, each with its line feed, and the unfinished line.
func (l *Line) Bytes() []byte { return l.text }

// Drop removes the lines that have ended.
func (l *Line) Drop() { l.text, l.fixed = append(l.text[:0], l.text[l.fixed:]...), 0 }

// Edit adds input like a terminal that edits lines; see n_tty_receive_char_special and eraser in
// Linux's drivers/tty/n_tty.c.
func (m *Modes) Edit(l *Line, input []byte) {
	for _, c := range input {
		m.edit(l, c)
	}
}

func (m *Modes) edit(l *Line, c byte) {
	t := &m.t
	extended, wide := t.Lflag&unix.IEXTEN != 0, t.Iflag&unix.IUTF8 != 0
	if l.literal {
		l.literal = false
		l.add(c)
		return
	}
	switch {
	case c == '\r' && t.Iflag&unix.IGNCR != 0:
		return
	case c == '\r' && t.Iflag&unix.ICRNL != 0:
		c = '\n'
	case c == '\n' && t.Iflag&unix.INLCR != 0:
		c = '\r'
	case t.Iflag&lowersInput != 0 && extended:
		c = lower(c)
	}
	is := func(key int) bool { return c == t.Cc[key] && c != 0 }
	switch {
	case t.Iflag&unix.IXON != 0 && (is(unix.VSTART) || is(unix.VSTOP)):
	case t.Lflag&unix.ISIG != 0 && (is(unix.VINTR) || is(unix.VQUIT) || is(unix.VSUSP)):
		if t.Lflag&unix.NOFLSH == 0 {
			l.text, l.fixed = l.text[:0], 0
		}
	case is(unix.VERASE):
		l.erase(wide)
	case extended && is(unix.VWERASE):
		l.eraseWord(wide)
	case is(unix.VKILL):
		l.text = l.text[:l.fixed]
	case extended && is(unix.VLNEXT):
		l.literal = true
	case extended && t.Lflag&unix.ECHO != 0 && is(unix.VREPRINT):
	case is(unix.VEOF):
		l.fixed = len(l.text)
	case c == '\n', is(unix.VEOL), extended && is(unix.VEOL2):
		l.text = append(l.text, c)
		l.fixed = len(l.text)
	default:
		l.add(c)
	}
}

func (l *Line) add(c byte) {
	if len(l.text)-l.fixed < longestLine {
		l.text = append(l.text, c)
	}
}

// character returns the start of the last character of the unfinished line; -1: there is none.
func (l *Line) character(wide bool) int {
	n := len(l.text) - 1
	for wide && n > l.fixed && l.text[n]&0xc0 == 0x80 {
		n--
	}
	if n < l.fixed || wide && l.text[n]&0xc0 == 0x80 {
		return -1
	}
	return n
}

func (l *Line) erase(wide bool) {
	if n := l.character(wide); n >= 0 {
		l.text = l.text[:n]
	}
}

// eraseWord removes the last word and the characters after it that are not letters.
func (l *Line) eraseWord(wide bool) {
	within := false
	for n := l.character(wide); n >= 0; n = l.character(wide) {
		letter := alphanumeric(l.text[n]) || l.text[n] == '_'
		if within && !letter {
			return
		}
		l.text, within = l.text[:n], within || letter
	}
}

// alphanumeric is isalnum of the kernel's lib/ctype.c, for Latin-1.
func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0xc0 && c != 0xd7 && c != 0xf7
}
