package echo

import (
	"cmp"
	"slices"

	"example.org/ripple/internal/vt"
)

// tangle takes an echo out of a stream to which other programs write at the
// same time. It follows every way to divide the stream into the echo and what
// is foreign to it, and weighs them: foreign text mostly comes in whole lines,
// and an echo in one piece.
type tangle struct {
	m      matcher
	kernel bool   // the echo is exact, and may stand within a foreign line
	prompt []byte // a redraw may repeat it before the echo

	now, next []thread
	begin     [2]thread // where now is at first
	silent    bool      // nothing was echoed
	certain   bool      // the expected text was shown, in as many pieces as other lines were printed in between
	last      byte
	inside    bool // a sequence is under way
	read      int  // bytes so far
}

// thread is one way to read the stream so far.
type thread struct {
	state         // of the echo
	cost     int  // how unlikely it is
	foreign  bool // in foreign text, since start
	fresh    bool // a foreign line has just ended
	run      int  // of a kernel's echo: bytes since foreign text ended
	first    bool // that run began where a foreign line had ended
	ragged   bool // not only whole lines were foreign
	start    int
	prompted int   // bytes of the prompt that were read
	spans    *span // what was foreign
}

// What makes a reading less likely.
const (
	costLine   = 1 // foreign text that begins where a line may begin
	costRedraw = 1 // the line editor restarts
	costInside = 3 // foreign text in the middle of the echo, or the echo in a foreign line
	costPrompt = 2 // the whole prompt that is taken for foreign text
	costSilent = 6 // nothing was echoed at all
)

// maxThreads bounds the readings that are followed.
const maxThreads = 128

func newTangle(c Config) *tangle {
	t := &tangle{kernel: len(c.Kernel) > 0, prompt: c.Shown, m: matcher{want: c.Kernel, now: []state{{}}}}
	if !t.kernel {
		t.m = *newMatcher(c.Sent)
	}
	t.now = t.begin[:0]
	for _, s := range t.m.now {
		t.now = append(t.now, thread{state: s})
		if c.Within {
			t.now = append(t.now, thread{state: s, foreign: true})
		}
	}
	return t
}

// token reads text or a whole sequence.
func (t *tangle) token(tok *vt.Token) {
	for i, c := range tok.Raw {
		t.byteOf(tok, i, c)
	}
}

// byteOf reads byte i of tok. A sequence acts at its last one.
func (t *tangle) byteOf(tok *vt.Token, i int, c byte) {
	switch {
	case t.kernel || tok.Kind == vt.Text:
		t.step(c, false, 0)
	case i < len(tok.Raw)-1:
		t.step(c, true, 0)
	default:
		t.step(c, false, movement(tok))
	}
}

// step reads one byte: one inside a sequence, the last one of a sequence with
// this movement, or, with 0, one of text.
func (t *tangle) step(c byte, inside bool, move int) {
	t.next = t.next[:0]
	for _, th := range t.now {
		switch {
		case th.foreign:
			t.foreign(th, c)
		case inside:
			t.add(th)
			if !t.inside { // or a colored foreign line
				t.enter(th)
			}
		case move != 0 || c == 0x07 && !t.kernel:
			t.control(th, move)
		case t.kernel:
			t.exact(th, c)
		default:
			t.enterWith(th, c)
			t.echo(th, c)
		}
	}
	t.read, t.last, t.inside = t.read+1, c, inside
	t.now, t.next = t.next, t.now
	t.prune()
}

// foreign continues with text of other writers.
func (t *tangle) foreign(th thread, c byte) {
	if t.kernel && c == t.wanted(th) && t.read > th.start {
		back := th
		back.leave(t.read)
		back.fresh = false
		back.cost += costInside
		back.ragged = true
		t.exact(back, c)
	}
	if !t.kernel && t.last == '\r' && c != '\n' && c != '\r' {
		th.cost += costInside // it is line editors that go back
	}
	if c == '\n' {
		th.leave(t.read + 1)
	}
	t.add(th)
}

// maxAlike is how many bytes at its beginning foreign text may have in common
// with the echo that it interrupts.
const maxAlike = 64

// exact reads c as part of an echo that is known byte for byte. Where it is
// not, what is foreign may have begun before.
func (t *tangle) exact(th thread, c byte) {
	if th.at < len(t.m.want) && c == t.m.want[th.at] {
		if th.run == 0 {
			th.first = th.fresh
		}
		th.at, th.run, th.fresh = th.at+1, th.run+1, false
		t.add(th)
		return
	}
	for back := 0; back <= min(th.run, maxAlike); back++ {
		f := th
		f.at -= back
		switch {
		case back == th.run && (th.first || th.fresh):
		case f.at == 0 || f.at == len(t.m.want):
			f.cost += costLine
		default:
			f.cost += costInside
		}
		f.foreign, f.fresh, f.start, f.run = true, false, t.read-back, 0
		if c == '\n' {
			f.leave(t.read + 1)
		}
		t.add(f)
	}
}

func (th *thread) leave(at int) {
	th.spans, th.foreign, th.fresh = &span{th.start, at, th.spans}, false, true
	th.run, th.first = 0, false
	th.mode = plain
}

func (t *tangle) wanted(th thread) byte {
	if th.at == len(t.m.want) {
		return 0
	}
	return t.m.want[th.at]
}

// enter takes what comes as foreign.
func (t *tangle) enter(th thread) {
	switch {
	case th.fresh:
	case th.at == 0 || th.at >= len(t.m.want)-1: // all but its line end is there
		th.cost += costLine
	default:
		th.cost += costInside
	}
	th.foreign, th.fresh, th.start, th.prompted = true, false, t.read, 0
	t.add(th)
}

func (t *tangle) enterWith(th thread, c byte) {
	if th.mode == afterCR && c == '\n' || th.prompted > 0 {
		return // the end of a line of the echo
	}
	if c == '\n' {
		th.foreign, th.start = true, t.read
		th.cost += costLine
		th.leave(t.read + 1)
		t.add(th)
		return
	}
	t.enter(th)
}

// control is a sequence of the line editor.
func (t *tangle) control(th thread, move int) {
	th.fresh = false
	t.add(th)
	if move > 0 {
		at := th
		at.state = state{at: t.m.back(th.at, move)}
		t.add(at)
	}
	t.redraw(th)
}

// redraw lets the line editor restart, with its prompt or without.
func (t *tangle) redraw(th thread) {
	if th.at > 0 && th.at < len(t.m.want) {
		th.state, th.cost = state{}, th.cost+costRedraw
		t.add(th)
	}
}

// echo reads c as part of the echo.
func (t *tangle) echo(th thread, c byte) {
	th.fresh = false
	t.promptByte(th, c)
	if th.prompted > 0 {
		return
	}
	if th.at == len(t.m.want) {
		if c == '\r' || c == '\n' || c == ' ' {
			t.add(th)
		}
		return
	}
	t.m.next = t.m.next[:0]
	t.m.read(th.state, c)
	for _, s := range t.m.next {
		n := th
		n.state = s
		t.add(n)
	}
	if c == '\r' {
		t.redraw(th)
	}
}

// promptByte follows the prompt that a redraw repeats.
func (t *tangle) promptByte(th thread, c byte) {
	if th.prompted == len(t.prompt) || t.prompt[th.prompted] != c {
		return
	}
	if th.prompted == 0 {
		th.cost += costRedraw
	}
	if th.prompted++; th.prompted == len(t.prompt) {
		th.prompted, th.state = 0, state{}
		th.cost -= costRedraw + costPrompt
	}
	t.add(th)
}

func (t *tangle) add(th thread) {
	for i := range t.next {
		have := &t.next[i]
		if have.state == th.state && have.foreign == th.foreign && have.prompted == th.prompted {
			if th.cost < have.cost || th.cost == have.cost && th.fresh {
				*have = th
			}
			return
		}
	}
	t.next = append(t.next, th)
}

// prune drops readings that can no longer win, and the least likely ones of too many.
func (t *tangle) prune() {
	for _, th := range t.now {
		if th.at == len(t.m.want) && !th.foreign {
			limit := th.cost + costLine
			t.now = slices.DeleteFunc(t.now, func(o thread) bool { return o.cost > limit })
			break
		}
	}
	if len(t.now) > maxThreads {
		slices.SortStableFunc(t.now, func(a, b thread) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(b.start, a.start))
		})
		t.now = t.now[:maxThreads]
	}
}
