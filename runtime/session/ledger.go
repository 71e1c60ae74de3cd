package session

import (
	"bytes"
	"fmt"
	"time"

	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/session/internal/machine"
)

// Piece is a stretch of the program's output, and its classification.
type Piece struct {
	From, To int64  // its position in the program's output, in bytes; the echo of an injected script is not counted
	Class    Class  // the classification so far
	Data     []byte // valid during the call; nil: an earlier stretch is classified again
	Text     string // of a marker, its name; of ClassEnd, the rule that ended the wait
}

// Class classifies a stretch of the program's output.
type Class string

const (
	ClassBanner       Class = "banner" // before the first prompt
	ClassPrompt       Class = "prompt"
	ClassContinuation Class = "continuation" // a prompt for more of the same command
	ClassEcho         Class = "echo"         // of typed or sent input
	ClassOutput       Class = "output"
	ClassOutOfBand    Class = "out-of-band" // between commands, belonging to none
	ClassMarker       Class = "marker"
	ClassForged       Class = "forged marker" // one without the nonce: part of the text around it
	ClassWithdrawn    Class = "withdrawn"     // a message about incomplete input that was withdrawn
	ClassEnd          Class = "end"           // empty: a wait for a prompt ended here
)

// ledger reports the classification of each stretch of the stream: as it arrives, and again when it
// changes. Only the latest text can change.
type ledger struct {
	to     func(Piece) // nil: no observer
	at     int64       // the end of the text received so far
	text   []extent    // positions of text, the latest last
	echoed *typedLine  // the line whose end has been echoed
	prompt int         // length of the prompt that a pattern matched last

	// A user's line continues after a marker for a continuation prompt.
	more  *time.Time // time of the last input of the user; nil: no such marker arrived
	asked time.Time  // that time when the marker arrived
}

func newLedger(o Observer) (l ledger) {
	if p, wants := o.(PieceObserver); wants {
		l.to = p.ObservePiece
	}
	return l
}

type extent struct{ from, to int64 }

// keptExtents is how many stretches of text may still be reclassified.
const keptExtents = 4096

func (l *ledger) wanted() bool { return l.to != nil }

// asksForMore reports whether the next text is a prompt for the user's next line: a marker
// announced it, and the user has typed nothing since.
func (l *ledger) asksForMore() bool { return l.more != nil && l.more.Equal(l.asked) }

// add records a new stretch.
func (l *ledger) add(data []byte, as Class, name string) {
	if !l.wanted() || len(data) == 0 {
		return
	}
	from := l.at
	l.at += int64(len(data))
	if as != ClassMarker {
		if n := len(l.text); n > 0 && l.text[n-1].to == from {
			l.text[n-1].to = l.at
		} else if l.text = append(l.text, extent{from, l.at}); len(l.text) > keptExtents {
			l.text = append(l.text[:0], l.text[keptExtents/2:]...)
		}
	}
	l.to(Piece{From: from, To: l.at, Class: as, Data: data, Text: name})
}

// last reclassifies the last n bytes of text.
func (l *ledger) last(n int, as Class) {
	if !l.wanted() {
		return
	}
	rest := int64(n)
	for i := len(l.text) - 1; i >= 0 && rest > 0; i-- {
		e := l.text[i]
		e.from = max(e.from, e.to-rest)
		rest -= e.to - e.from
		l.to(Piece{From: e.from, To: e.to, Class: as})
	}
}

// since reclassifies the first n bytes of text after a position.
func (l *ledger) since(place int64, n int, as Class) {
	if !l.wanted() {
		return
	}
	rest := int64(n)
	for _, e := range l.text {
		if e.from = max(e.from, place); e.from >= e.to || rest <= 0 {
			continue
		}
		e.to = min(e.to, e.from+rest)
		rest -= e.to - e.from
		l.to(Piece{From: e.from, To: e.to, Class: as})
	}
}

// ends records the rule by which a wait ended here.
func (l *ledger) ends(rule string) {
	if l.wanted() {
		l.to(Piece{From: l.at, To: l.at, Class: ClassEnd, Text: rule})
	}
}

// record records a piece as it arrives.
func (f *flow) record(p *segment) {
	switch l := &f.events.ledger; {
	case !l.wanted():
	case p.kind == segmentMarker:
		l.more = nil
		if line := f.typist.line; line != nil && p.event.Kind == prompt.Continuation {
			l.more = &line.sent.at
			l.asked = line.sent.at
		}
		l.add(p.raw, ClassMarker, p.name())
	case p.kind == segmentLiteral && p.more:
		l.add([]byte(f.prog.prompts.literals[literalContinuation]), ClassMarker, "init.marker.continuation")
	case p.kind == segmentLiteral:
		l.add([]byte(f.prog.prompts.literals[literalPrimary]), ClassMarker, "init.marker.primary")
	case p.kind == segmentForged:
		l.add(p.raw, ClassForged, p.name())
	default:
		f.recordText(p.raw)
	}
}

// recordText records text. A user's line is echoed up to its end.
func (f *flow) recordText(b []byte) {
	if c := f.cmd; c != nil && c.prelude.typed != nil && c.prelude.typed != f.events.ledger.echoed && f.stream.region == regionOutput {
		n := bytes.IndexByte(b, '\n') + 1
		if n > 0 {
			f.events.ledger.echoed = c.prelude.typed
		} else {
			n = len(b)
		}
		f.events.ledger.add(b[:n], ClassEcho, "")
		b = b[n:]
	}
	f.events.ledger.add(b, f.classify(), "")
}

// classify returns the classification of text that arrives now.
func (f *flow) classify() Class {
	line, c := f.typist.line, f.cmd
	ready := f.control.state.Step == machine.StepReady
	switch r := f.stream.region; {
	case f.events.ledger.asksForMore():
		return ClassContinuation
	case ready && line != nil && !line.began:
		return ClassEcho
	case r == regionStartup:
		return ClassBanner
	case r == regionPrompt, ready && line != nil:
		return ClassPrompt
	case r == regionMore:
		return ClassContinuation
	case r != regionOutput, c == nil:
		return ClassOutOfBand
	case c.facts.incomplete:
		return ClassWithdrawn
	case c.prelude.expected:
		return ClassEcho
	}
	return ClassOutput
}

// matched classifies the end of the text as the prompt that a pattern matched.
func (d *decider) matched() {
	d.askedFor()
	d.flow.pass(d.stream.promptMatched(d.detect.match.Start))
}

// askedFor records the prompt that a pattern matched.
func (d *decider) askedFor() {
	as := ClassPrompt
	if d.detect.match.Tag == tagContinuation {
		as = ClassContinuation
	}
	d.events.ledger.prompt = len(d.stream.tail()) - d.detect.match.Start
	d.events.ledger.last(d.events.ledger.prompt, as)
}

// promptLen returns the length of the prompt that ended a wait.
func (d *decider) promptLen(e machine.Effect) int {
	switch {
	case e.Match:
		return d.events.ledger.prompt
	case e.By == machine.ByExit, e.By == machine.ByIdle, d.prog.prompts.literals != nil:
		return 0
	}
	return len(d.stream.prompt)
}

// rule describes the event that ended a wait for a prompt.
func (d *decider) rule(e machine.Effect) string {
	m := &d.detect.match
	key := fmt.Sprintf("%s %q matches", m.Key, m.Source)
	switch {
	case e.By == machine.ByExit:
		return "the program ended"
	case e.By == machine.ByInterrupt:
		return "a prompt came back after the interrupt"
	case e.Match && e.By == machine.ByIdle:
		return fmt.Sprintf("%s, and no output followed for %v (output.post_prompt_settle_ms)", key, d.control.policy.Settle)
	case e.Match:
		return key + ", and the program waits for input"
	case e.By == machine.ByIdle:
		return "the output has stopped, and the program waits for input"
	case d.prog.prompts.literals != nil:
		return "the marker that carries this session's nonce"
	case d.stream.ends:
		return "the marker of a prompt's end (B)"
	}
	return "the marker of a prompt (A)"
}

// separate separates a prompt's text from other output next to it.
func (f *flow) separate(decide func() classified) classified {
	before := len(f.stream.prompt)
	out := decide()
	if len(out.unsolicited) > 0 {
		f.events.ledger.last(before, ClassOutOfBand)
		f.events.ledger.last(len(f.stream.prompt), ClassPrompt)
	}
	return out
}

// printLate prints output that was taken for echo so far; it is followed by that many bytes of a
// prompt.
func (f *flow) printLate(c *command, output []byte, promptLen int) {
	if len(output) > 0 && !c.facts.incomplete {
		f.events.ledger.last(len(output)+promptLen, ClassOutput)
		f.events.ledger.last(promptLen, ClassPrompt)
	}
	f.print(c, output)
}
