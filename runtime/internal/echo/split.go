package echo

import (
	"bytes"
	"slices"

	"example.org/ripple/internal/vt"
)

// whole returns a reading that has the whole echo, in which all other text is whole lines.
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
	silent := costSilent
	if t.kernel && !t.certain { // the terminal echoes, and a longer match is less likely to be a coincidence
		silent += len(t.m.want)
	}
	weigh := func(th thread) int {
		switch {
		case th.at == 0:
			return th.cost + silent
		case t.certain && !th.ragged:
			return min(th.cost, costSilent)
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

// span is a piece of foreign text.
type span struct {
	from, to int
	before   *span
}

// Split divides what came while an echo was expected, all of it, into the echo
// and what others printed meanwhile, which it returns.
func Split(c Config, stream []byte) (foreign []byte) {
	t := newTangle(c)
	eachToken(stream, t.token)
	spans, ok := t.best()
	if t.silent && printable(stream) {
		return withoutScrolled(c.Sent, stream)
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

// withoutScrolled takes out the echo of a line that is wider than the terminal where
// the line editor shows its end alone, behind <, as readline does on a dumb terminal.
func withoutScrolled(sent, stream []byte) []byte {
	sent = bytes.TrimRight(sent, "\r\n")
	from := 0
	for line := range bytes.Lines(stream) {
		end, scrolled := bytes.CutPrefix(bytes.Trim(line, "\r\n\b "), []byte("<"))
		if scrolled && len(end) > 0 && bytes.HasSuffix(sent, end) {
			return slices.Concat(stream[:from], stream[from+len(line):])
		}
		from += len(line)
	}
	return stream
}

// Cut takes known, a text that is expected byte for byte and in one piece or several,
// out of the stream: lines are what others printed in it, rest is the stream without
// these. ok says that all of known was there.
func Cut(known, stream []byte) (lines, rest []byte, ok bool) {
	t := &tangle{m: matcher{want: known}, kernel: true, certain: true, now: []thread{{}}}
	for _, b := range stream {
		t.step(b, false, 0)
	}
	spans, _ := t.best()
	missing, from := len(known)-len(stream), 0
	for _, s := range spans {
		missing += s.to - s.from
		foreign := stream[s.from:s.to]
		end := s.from + bytes.LastIndexByte(foreign, '\n') + 1
		lines = append(lines, stream[s.from:end]...)
		rest = append(rest, stream[from:s.from]...)
		from = end
	}
	return lines, append(rest, stream[from:]...), missing == 0
}

// printable reports whether b has text, and not only sequences that move the cursor.
func printable(b []byte) (text bool) {
	eachToken(b, func(t *vt.Token) {
		text = text || len(bytes.Trim(t.Plain(), "\r \a")) > 0
	})
	return text
}
