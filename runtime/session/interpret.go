package session

import (
	"bytes"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
)

// interpret passes output through the stages, under the lock. Where one panics, a line of output is
// passed on as it is, and the parsers start again after it.
func (d *driver) interpret(b []byte) {
	for len(b) > 0 {
		caught := fault.Catch("looking for prompts", b, func() { d.flow.feed(b) })
		if caught == nil {
			return
		}
		d.faults.add(*caught)
		b = b[max(len(b)-d.detect.held(), 0):]
		end := untilNext(b)
		d.startAgain(b[:end])
		b = b[end:]
	}
}

// interpretRest interprets what is held back at the end of the stream.
func (d *driver) interpretRest() {
	caught := fault.Catch("handling the last output", nil, func() {
		for p := range d.detect.rest() {
			d.flow.segment(p)
		}
	})
	if caught != nil {
		d.faults.add(*caught)
	}
}

// startAgain replaces the parsers, and takes text for output.
func (d *driver) startAgain(text []byte) {
	defer func() { _ = recover() }() // the panic that led here is reported
	usual := d.detect.usual
	d.detect = newDetector(&d.prog.prompts)
	d.detect.usual = usual
	d.flow.pass(classified{output: text})
}

// untilNext returns the length of the text or the sequence at the beginning of b; of text, up to the
// end of its first line.
func untilNext(b []byte) (end int) {
	end = len(b)
	defer func() { _ = recover() }() // the parser may be what panicked
	first := true
	parser := vt.Parser{SevenBit: true}
	parser.Feed(b, func(t *vt.Token) {
		if first && !t.Inside {
			end, first = len(t.Raw), false
		}
	})
	if i := bytes.IndexByte(b[:end], '\n'); i >= 0 {
		end = i + 1
	}
	return end
}

// held returns how many bytes of the stream have not been yielded.
func (t *detector) held() int { return int(t.fed - t.yielded) }
