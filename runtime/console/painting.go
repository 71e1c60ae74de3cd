package console

import (
	"bytes"
	"fmt"
	"strings"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/lineedit"
)

// painting is the contents of the terminal of a user whose client edits lines: the program's
// output, and the unfinished line after the cursor. It collects the bytes to write.
type painting struct {
	screen *vt.Screen // mirrors the terminal, with everything written to it
	out    []byte

	shown  bool // an unfinished line is shown
	first  int  // column at which it begins
	row    int  // row of the cursor, relative to the row at which it begins
	left   bool // the line is still shown after the cursor, but no longer edited
	pastes bool // the terminal reports pasted text
}

// flush returns the bytes to write to the terminal and clears them.
func (p *painting) flush() []byte {
	b := p.out
	p.out = nil
	return b
}

// add appends bytes that change the screen.
func (p *painting) add(b []byte) {
	p.screen.Write(b)
	p.out = append(p.out, b...)
	if bytes.Contains(b, []byte("2004")) { // the program sets the mode of the terminal
		p.pastes = p.screen.Modes().BracketedPaste
	}
}

func (p *painting) addf(format string, args ...any) { p.add(fmt.Appendf(nil, format, args...)) }

// bell rings the bell, which does not change the screen.
func (p *painting) bell() { p.out = append(p.out, '\a') }

// show shows a line after the program's output.
func (p *painting) show(v lineedit.View) {
	p.setPasteMode(true)
	if len(v.Chars) == 0 && v.Message == "" {
		p.erase()
		return
	}
	cols, rows := p.screen.Size()
	if !p.shown {
		p.eraseLeft()
		if p.first, _ = p.screen.Cursor(); p.first >= cols {
			p.add(nextRow)
			p.first = 0
		}
		p.shown, p.row = true, 0
	}
	p.back()
	room := rows
	if v.Message != "" {
		room--
	}
	text, end, cursor := v.Layout(p.first, cols, room)
	p.add([]byte(text))
	if end.Col >= cols {
		p.add(nextRow)
		end = lineedit.Place{Row: end.Row + 1}
	}
	if cursor.Col >= cols {
		cursor = lineedit.Place{Row: cursor.Row + 1}
	}
	p.addf("\x1b[J")
	list := lineedit.Table(v.List, cols, max(rows-end.Row-2, 0))
	if v.Message != "" {
		list = []string{v.Message[:min(len(v.Message), cols-1)]}
	}
	for _, row := range list {
		p.addf("\r\n%s", row)
	}
	p.to(end.Row+len(list), cursor)
	p.row = cursor.Row
}

// nextRow moves the cursor from after the last column to the next row, as the next character would.
var nextRow = []byte(" \r")

// to moves the cursor from a row to a place.
func (p *painting) to(row int, at lineedit.Place) {
	up := ""
	if row > at.Row {
		up = fmt.Sprintf("\x1b[%dA", row-at.Row)
	}
	p.addf("%s\x1b[%dG", up, at.Col+1)
}

// back moves the cursor to the beginning of the line.
func (p *painting) back() { p.to(p.row, lineedit.Place{Col: p.first}); p.row = 0 }

// erase erases the line: the cursor is at the program's position.
func (p *painting) erase() {
	p.keepOnScreen()
	p.eraseLeft()
}

// keepOnScreen keeps the line on screen until something else is shown there.
func (p *painting) keepOnScreen() {
	if p.shown {
		p.back()
		p.shown, p.left = false, true
	}
}

// eraseLeft erases a line that was left.
func (p *painting) eraseLeft() {
	if p.left {
		p.left = false
		p.addf("\x1b[J")
	}
}

// clear moves the row with the end of the prompt to the top of the screen. What was above it scrolls off.
func (p *painting) clear() {
	p.erase()
	cols, rows := p.screen.Size()
	if x, _ := p.screen.Cursor(); x >= cols {
		p.add(nextRow)
	}
	x, y := p.screen.Cursor()
	p.addf("\x1b[%dH%s\x1b[1;%dH", rows, strings.Repeat("\n", y), x+1)
}

// hide erases the line because it cannot be edited now.
func (p *painting) hide() {
	if p.shown {
		p.erase()
	}
	p.setPasteMode(false)
}

// setPasteMode makes the terminal distinguish pasted text from typed keys, or restores the program's
// setting.
func (p *painting) setPasteMode(on bool) {
	if on = on || p.screen.Modes().BracketedPaste; on != p.pastes {
		p.pastes = on
		p.out = append(p.out, fmt.Sprintf("\x1b[?2004%c", map[bool]byte{true: 'h', false: 'l'}[on])...)
	}
}
