// Package screen renders output that addresses the cursor: New, Write, Text.
//
// It is the only importer of the VT library. The terminal it models answers
// nothing: replies to queries are the session's, so the library's go nowhere.
// A panic of the library on hostile input becomes an error, and from then on
// what is written is kept as plain text without escape sequences.
package screen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

const (
	// scrollbackLines is kept by the library between two harvests; one line
	// feed scrolls one line, but CSI S may scroll a whole screen.
	scrollbackLines = 1000
	// maxHistory bounds the text that scrolled off, in bytes, between two calls
	// of Scrolled; the oldest is dropped.
	maxHistory = 4 << 20
	// maxCluster bounds what is held back while combining characters may follow.
	maxCluster = 4 << 10
	// maxCells bounds one dimension of the grid.
	maxCells = 1000
)

// Screen is a terminal's grid and scrollback.
type Screen struct {
	em      *vt.Emulator
	bound   bound
	held    []byte // the last character: combining ones may follow
	history []byte // lines that scrolled off
	err     error
}

// New makes an empty screen of cols × rows cells, at most 1,000 of each.
func New(cols, rows int) *Screen {
	s := &Screen{bound: bound{cols: clamp(cols), rows: clamp(rows)}}
	s.guard(func() {
		s.em = vt.NewEmulator(clamp(cols), clamp(rows))
		s.em.SetScrollbackSize(scrollbackLines)
		replies, ok := s.em.InputPipe().(io.Closer)
		if !ok {
			panic("the terminal's replies cannot be closed")
		}
		// Written to a closed pipe, replies vanish; an open one blocks the writer.
		if err := replies.Close(); err != nil {
			panic(err)
		}
	})
	return s
}

func clamp(n int) int { return min(max(n, 1), maxCells) }

// guard runs f and turns a panic of the library into s.err.
func (s *Screen) guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			s.fail(fmt.Errorf("terminal emulation failed, output continues as plain text: %v", p))
		}
	}()
	f()
}

func (s *Screen) fail(err error) {
	s.err = err
	em := s.em
	s.em = nil
	if em == nil {
		return
	}
	defer func() {
		if recover() != nil { // the grid itself is broken: what was harvested stays
			s.err = errors.Join(s.err, errors.New("the text on the screen is lost"))
		}
	}()
	s.keep(grid(em))
}

// Err is the reason why the screen fell back to plain text, or nil.
func (s *Screen) Err() error { return s.err }

// Write takes what a program prints. It keeps no reference to b.
func (s *Screen) Write(b []byte) {
	s.held = s.bound.filter(s.held, b)
	i := len(s.held) - 1
	for i >= 0 && s.held[i] >= 0x80 {
		i--
	}
	if len(s.held)-i > maxCluster {
		i = len(s.held)
	}
	if i > 0 {
		s.feed(s.held[:i])
		s.held = s.held[:copy(s.held, s.held[i:])]
	}
}

// feed stops after each line feed and before each sequence to take what
// scrolled off, before the library drops it or a sequence erases it.
func (s *Screen) feed(b []byte) {
	// A byte that is no character may be half of one to the library, or a control.
	b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	for len(b) > 0 {
		n := len(b)
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			n = i + 1
		}
		if i := bytes.IndexByte(b[1:n], 0x1b); i >= 0 {
			n = i + 1
		}
		s.piece(b[:n])
		b = b[n:]
	}
}

func (s *Screen) piece(b []byte) {
	if s.em == nil {
		s.keep([]byte(strings.ReplaceAll(ansi.Strip(string(b)), "\r", "")))
		return
	}
	s.guard(func() {
		if _, err := s.em.Write(b); err != nil {
			panic(err)
		}
		if s.em.ScrollbackLen() == 0 {
			return
		}
		for y := range s.em.ScrollbackLen() {
			s.keep(row(s.em.Width(), func(x int) (string, int) {
				return cell(s.em.ScrollbackCellAt(x, y))
			}))
			s.keep([]byte("\n"))
		}
		s.em.ClearScrollback()
	})
}

func (s *Screen) keep(b []byte) {
	s.history = append(s.history, b...)
	if len(s.history) > 2*maxHistory {
		s.history = s.history[:copy(s.history, s.history[len(s.history)-maxHistory:])]
	}
}

// Scrolled takes the lines, each with its \n, that left the screen since the
// last call. The result is valid until the next Write.
func (s *Screen) Scrolled() []byte {
	h := s.history
	s.history = s.history[:0]
	return h
}

// Text is the scrollback that was not taken and the visible grid, lines
// separated by \n, without trailing blanks and trailing blank lines.
func (s *Screen) Text() string {
	s.feed(s.held)
	s.held = s.held[:0]
	out := bytes.Clone(s.history)
	s.guard(func() {
		if s.em != nil {
			out = append(out, grid(s.em)...)
		}
	})
	if s.em == nil { // also when reading the grid failed just now
		out = bytes.Clone(s.history)
	}
	return strings.TrimRight(string(out), "\n")
}

// Resize changes the grid; it does not reflow.
func (s *Screen) Resize(cols, rows int) {
	s.guard(func() {
		if s.em != nil {
			s.bound.cols, s.bound.rows = clamp(cols), clamp(rows)
			s.em.Resize(clamp(cols), clamp(rows))
		}
	})
}
