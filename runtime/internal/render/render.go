// Package render converts the raw output of a program into the text that its user sees in
// the end: New, Write the bytes as they arrive, Close.
//
// Lines are resolved one at a time. \r\n and \r\r\n become \n. Carriage return,
// backspace and the sequences that move or erase within a line (CSI C D G ` K P
// @ X, and J below the cursor) change that line only, so that a progress bar
// ends in its last state. Tabs, blank lines and blanks stay as written. Control
// characters that do not move the cursor within the line (NUL, BEL, VT, FF and
// the rest) stay too: they are the program's output. Invalid UTF-8 passes
// through.
//
// SGR and all other sequences (titles, modes, character sets) are removed with
// StripANSI and kept without it. On a line that is overwritten kept colors
// follow their characters and other kept sequences move to its beginning. Kept
// output can be printed before other text: each kept string (a title, an image)
// has its terminator, and sequences that were abandoned are removed.
//
// From the first sequence that addresses another line (CSI H, A, B, 2J, scroll
// regions, the alternate screen, a saved cursor with text after it) the rest of the output is
// rendered by a screen (vt.Screen): lines that wrapped on it are one line. On a
// still empty screen homing and clearing change nothing and are dropped.
package render

import (
	"bytes"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
)

const (
	// maxLine is how much of an unfinished line is kept to be overwritten, in
	// bytes. Longer lines are emitted in pieces of this size, and a carriage
	// return then goes back to the last cut.
	maxLine = 64 << 10
	// maxWrite is the most that is emitted at once, in input bytes: a large
	// Write is taken in parts of it.
	maxWrite = 1 << 20
)

// Options describe the terminal that the program sees.
type Options struct {
	Cols, Rows int  // cells; 0: 200×50
	StripANSI  bool // remove all escape sequences

	// Fault receives a panic of the renderer. From then on, until Close, output is emitted as it
	// arrives, except that \r\n becomes \n. nil: the panic is not reported.
	Fault func(fault.Fault)
}

// Renderer holds the unfinished line. It is not safe for concurrent use.
type Renderer struct {
	opt     Options
	emit    func([]byte)
	buf     []byte // finished lines, and from open on the unfinished one
	open    int
	cr      bool // a carriage return came last, and may belong to a line end
	saved   bool // the cursor was saved last, and nothing came since
	printed bool // something is on the screen
	again   bool // the unfinished line is taken a second time, into cells
	parser  vt.Parser
	handle  func(*vt.Token)
	color   color
	cells   *cellLine // not nil: the unfinished line, as it is being overwritten
	spare   *cellLine
	screen  *vt.Screen // not nil: gets everything
	taken   int64      // bytes of the stream whose tokens have been handled
	fed     int64      // bytes of the stream
	broken  bool       // the renderer panicked: output is passed on as it is
}

// New makes a renderer. emit gets finished lines, as many as a Write completes
// in one call; its argument is valid during the call.
func New(o Options, emit func([]byte)) *Renderer {
	if o.Cols <= 0 || o.Rows <= 0 {
		o.Cols, o.Rows = 200, 50
	}
	r := &Renderer{}
	r.reset(o, emit)
	return r
}

// reset makes the renderer as new, but for its buffers.
func (r *Renderer) reset(o Options, emit func([]byte)) {
	*r = Renderer{opt: o, emit: emit, buf: r.buf[:0], spare: r.spare}
	r.parser = vt.ForText()
	r.handle = r.token
}

// Write takes what the program printed. It keeps no reference to raw.
func (r *Renderer) Write(raw []byte) {
	for len(raw) > maxWrite {
		r.write(raw[:maxWrite])
		raw = raw[maxWrite:]
	}
	r.write(raw)
}

func (r *Renderer) write(b []byte) {
	if r.broken {
		r.plainly(b)
		return
	}
	r.try(b, func() {
		r.fed += int64(len(b))
		r.parser.Feed(b, r.handle)
		r.cut()
		r.lead()
		r.release(r.open)
	})
}

// token takes text, and sequences one by one.
func (r *Renderer) token(t *vt.Token) {
	r.apply(t)
	if !t.Inside {
		r.taken += int64(len(t.Raw))
	}
}

func (r *Renderer) apply(t *vt.Token) {
	if r.screen != nil {
		r.screen.Token(t)
		r.open = len(r.buf)
		return
	}
	restores := t.Kind == vt.Escape && t.Inter[0] == 0 && t.Final == '8'
	switch {
	case r.saved && restores: // where it was saved: nothing moves
		r.saved = false
		return
	case r.saved:
		r.handOver(t)
		return
	}
	if t.Kind != vt.Text && r.cells != nil {
		r.cells.flushPartial(r.color.now)
	}
	plain := t.Plain()
	switch {
	case len(plain) > 0:
		r.plain(plain)
	case t.Kind == vt.CSI:
		r.csi(t)
	case t.Kind == vt.Escape && t.Inter[0] == 0 && t.Final == '7':
		r.saved = true
	case t.Kind == vt.Escape && t.Inter[0] == 0 && bytes.IndexByte([]byte("8DEMc"), t.Final) >= 0:
		r.address(t)
	default:
		r.keep(t)
	}
}

// plain takes text outside of sequences.
func (r *Renderer) plain(b []byte) {
	for i := 0; i < len(b); {
		if r.cells != nil {
			i += r.overwrite(b[i:])
			continue
		}
		end := len(b)
		if n := bytes.IndexByte(b[i+1:], '\b'); n >= 0 {
			end = i + 1 + n
		}
		i += r.text(b[i:end])
	}
}

// lead moves what takes no column, and so stands before the line that is being
// overwritten, to the finished output.
func (r *Renderer) lead() {
	if r.cells != nil && len(r.cells.lead) > 0 {
		r.buf = append(r.buf, r.cells.lead...)
		r.open = len(r.buf)
		r.cells.lead = r.cells.lead[:0]
	}
}

// text takes plain text up to a carriage return that is not a line end, which it
// leaves. A backspace is such text only at its start.
func (r *Renderer) text(b []byte) int {
	if b[0] == '\b' {
		r.carriage()
		if r.column() == 0 {
			return 1
		}
		r.toCells()
		return 0
	}
	for i := 0; i < len(b); {
		if r.cr && b[i] != '\r' && b[i] != '\n' {
			if r.carriage(); r.cells != nil {
				return i
			}
		}
		j := bytes.IndexByte(b[i:], '\r')
		if j < 0 {
			r.append(b[i:])
			break
		}
		if end := i + j + 1; end < len(b) && b[end] == '\n' {
			r.line(b[i : i+j])
			i = end + 1
			continue
		}
		r.append(b[i : i+j])
		r.cr = true
		i += j + 1
	}
	return len(b)
}

// line adds text and a line end.
func (r *Renderer) line(b []byte) {
	r.cr, r.printed = false, true
	r.buf = append(append(r.buf, b...), '\n')
	r.open = len(r.buf)
	r.color.lineStart = r.color.now
}

// append adds text without carriage returns.
func (r *Renderer) append(b []byte) {
	if len(b) == 0 {
		return
	}
	r.cr, r.printed = false, true
	r.buf = append(r.buf, b...)
	if bytes.IndexByte(b, '\n') >= 0 {
		r.open = bytes.LastIndexByte(r.buf, '\n') + 1
		r.color.lineStart = r.color.now
	}
}

// column is 0 or not: whether the unfinished line has anything to go back over.
func (r *Renderer) column() int { return len(r.buf) - r.open }

// carriage obeys a carriage return that turned out not to end the line.
func (r *Renderer) carriage() {
	if r.cr && r.column() > 0 {
		r.toCells()
		r.cells.col = 0
	}
	r.cr = false
}

// cut finishes whole pieces of an overlong line. The pieces are counted from
// the beginning of the line, so that they do not depend on how it was written.
func (r *Renderer) cut() {
	if n := r.column() / maxLine; n > 0 && r.cells == nil {
		r.open += n * maxLine
		r.color.lineStart = r.color.now
	}
}

// release emits buf[:n].
func (r *Renderer) release(n int) {
	if n == 0 {
		return
	}
	r.emit(r.buf[:n])
	r.buf = r.buf[:copy(r.buf, r.buf[n:])]
	r.open -= n
}

// Pending is the unfinished line as it stands, or the text on the screen.
func (r *Renderer) Pending() []byte {
	switch {
	case r.broken:
		return nil
	case r.screen != nil:
		return r.screen.AppendText(nil)
	case r.cells != nil:
		return r.cells.render(nil, r.color)
	}
	return bytes.Clone(r.buf[r.open:])
}

// FlushPending emits the unfinished line as it stands: the program waits for
// an answer after it. Emitted text can no longer be overwritten.
func (r *Renderer) FlushPending() {
	if r.screen != nil || r.broken {
		return
	}
	r.try(nil, func() {
		r.cr = false
		r.finishCells()
		r.open = len(r.buf)
		r.color.lineStart = r.color.now
		r.release(r.open)
	})
}

// Close emits what is left, with no line end that the program did not print.
// The renderer is then as new.
func (r *Renderer) Close() {
	if !r.broken {
		r.try(nil, r.finish)
	}
	r.reset(r.opt, r.emit)
}

func (r *Renderer) finish() {
	if r.screen != nil {
		if text := r.screen.AppendText(nil); len(text) > 0 {
			r.emit(text)
		}
	} else {
		r.parser.Flush(r.handle)
		r.FlushPending()
	}
}

// Slow reports whether text may be expensive because the cursor was moved.
func (r *Renderer) Slow() bool { return r.screen != nil || r.cells != nil }

// Screen reports whether the program addresses the screen's lines.
func (r *Renderer) Screen() bool { return r.screen != nil }
