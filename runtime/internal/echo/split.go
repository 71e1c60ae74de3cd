package echo

import (
	"bytes"
	"slices"

	"ripple/runtime/internal/vt"
)

// whole says that the echo was read, and nothing foreign but whole lines.
func (t *tangle) whole() (thread, bool) {
	for _, th := range t.now {
		if th.at == len(t.m.want) && !th.foreign && th.cost < costInside {
			return th, true
		}
	}
	return thread{}, false
}

// best is the likeliest reading at the end of the stream, and whether it has
// the whole echo in it. Where none has, only whole lines are foreign for sure.
func (t *tangle) best() (spans []span, ok bool) {
	var best thread
	found := false
	weigh := func(th thread) int {
		if th.at == 0 {
			return th.cost + costSilent
		}
		return th.cost
	}
	for _, th := range t.now {
		if th.foreign {
			th.leave(t.read)
		}
		done := th.at == len(t.m.want) || th.at == 0
		was := best.at == len(t.m.want) || best.at == 0
		switch {
		case !found, done && !was, done == was && (done && weigh(th) < weigh(best) || !done && th.at > best.at):
			best, found = th, true
		}
	}
	for s := best.spans; s != nil; s = s.before {
		spans = append(spans, *s)
	}
	slices.Reverse(spans)
	t.silent = best.at == 0
	return spans, best.at == len(t.m.want) || best.at == 0
}

// Split divides what came while an echo was expected, all of it, into the echo
// and what others printed meanwhile, which it returns.
func Split(c Config, stream []byte) (foreign []byte) {
	t := newTangle(c)
	eachToken(stream, t.token)
	spans, ok := t.best()
	if t.silent && visible(stream) {
		return stream
	}
	for _, s := range spans {
		if ok || wholeLines(stream, s) {
			foreign = append(foreign, stream[s.from:s.to]...)
		}
	}
	return foreign
}

func wholeLines(b []byte, s span) bool {
	return (s.from == 0 || b[s.from-1] == '\n') && s.to > 0 && b[s.to-1] == '\n'
}

// Cut takes known, a text that is expected byte for byte and in one piece or
// several, out of the stream. ok says that all of it was there.
func Cut(known, stream []byte) (foreign []byte, ok bool) {
	if len(known) == 0 {
		return stream, true
	}
	t := &tangle{m: &matcher{want: known}, kernel: true, now: []thread{{}}}
	for _, b := range stream {
		t.step(b, false, 0)
	}
	spans, _ := t.best()
	total := 0
	for _, s := range spans {
		foreign = append(foreign, stream[s.from:s.to]...)
		total += s.to - s.from
	}
	return foreign, total+len(known) == len(stream)
}

// visible says that b has text, and not only what a line editor moves its cursor with.
func visible(b []byte) (text bool) {
	eachToken(b, func(t *vt.Token) {
		text = text || len(bytes.Trim(t.Plain(), "\r \a")) > 0
	})
	return text
}
