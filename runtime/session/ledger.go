package session

import (
	"bytes"
	"fmt"
	"time"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/session/internal/machine"
)

// Piece is a stretch of what the program printed, and what it is taken for.
type Piece struct {
	From, To int64  // where it stands in what the program printed, in bytes; the echo of an injected script is left out
	As       Taken  // what it is taken for as far as is known now
	Data     []byte // valid during the call; nil: the stretch was told of before, and is something else
	Text     string // of a marker its name; of TakenEnd the rule that ended the wait
}

// Taken says what a stretch of what the program printed is taken for.
type Taken string

const (
	TakenBanner       Taken = "banner" // before the first prompt
	TakenPrompt       Taken = "prompt"
	TakenContinuation Taken = "continuation" // a prompt for more of the same command
	TakenEcho         Taken = "echo"         // of what was typed or sent
	TakenOutput       Taken = "output"
	TakenOutOfBand    Taken = "out-of-band" // between commands, of none
	TakenMarker       Taken = "marker"
	TakenForged       Taken = "forged marker" // one without the nonce: it is a part of the text around it
	TakenWithdrawn    Taken = "withdrawn"     // said about incomplete input that was taken back
	TakenEnd          Taken = "end"           // no bytes: here a wait for a prompt ended
)

// ledger tells a caller what each stretch of the stream is taken for: as it comes, and
// again when that is decided otherwise. What is decided is about the text that came last.
type ledger struct {
	to     func(Piece) // nil: nobody wants to know
	at     int64       // the end of what came
	text   []extent    // where text stands, the latest last
	echoed *typedLine  // whose end has been shown
	prompt int         // length of the prompt that a pattern matched last

	// A person's line goes on behind a marker for a continuation prompt.
	more  *time.Time // when he typed last; nil: no such marker came
	asked time.Time  // the same when it came
}

func newLedger(o Observer) (l ledger) {
	if p, wants := o.(PieceObserver); wants {
		l.to = p.Take
	}
	return l
}

type extent struct{ from, to int64 }

// keptExtents is how many stretches of text may still turn out to be something else.
const keptExtents = 4096

func (l *ledger) wanted() bool { return l.to != nil }

// asksOn says that what comes is a prompt for the next line of what a person types: it
// was announced, and he has typed nothing since.
func (l *ledger) asksOn() bool { return l.more != nil && l.more.Equal(l.asked) }

// came is a new stretch.
func (l *ledger) came(data []byte, as Taken, name string) {
	if !l.wanted() || len(data) == 0 {
		return
	}
	from := l.at
	l.at += int64(len(data))
	if as != TakenMarker {
		if n := len(l.text); n > 0 && l.text[n-1].to == from {
			l.text[n-1].to = l.at
		} else if l.text = append(l.text, extent{from, l.at}); len(l.text) > keptExtents {
			l.text = append(l.text[:0], l.text[keptExtents/2:]...)
		}
	}
	l.to(Piece{From: from, To: l.at, As: as, Data: data, Text: name})
}

// last says that the last n bytes of text are something else than they were told to be.
func (l *ledger) last(n int, as Taken) {
	if !l.wanted() {
		return
	}
	rest := int64(n)
	for i := len(l.text) - 1; i >= 0 && rest > 0; i-- {
		e := l.text[i]
		e.from = max(e.from, e.to-rest)
		rest -= e.to - e.from
		l.to(Piece{From: e.from, To: e.to, As: as})
	}
}

// since is last for the first n bytes of text behind a place.
func (l *ledger) since(place int64, n int, as Taken) {
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
		l.to(Piece{From: e.from, To: e.to, As: as})
	}
}

// ends says by which rule a wait ended here.
func (l *ledger) ends(rule string) {
	if l.wanted() {
		l.to(Piece{From: l.at, To: l.at, As: TakenEnd, Text: rule})
	}
}

// book notes a piece as it comes.
func (f *flow) book(p *piece) {
	switch l := &f.events.ledger; {
	case !l.wanted():
	case p.kind == pieceMarker:
		l.more = nil
		if line := f.typist.line; line != nil && p.event.Kind == prompt.Continuation {
			l.more = &line.sent.at
			l.asked = line.sent.at
		}
		l.came(p.raw, TakenMarker, p.name())
	case p.kind == pieceLiteral && p.more:
		l.came([]byte(f.prog.prompts.literals[literalContinuation]), TakenMarker, "init.marker.continuation")
	case p.kind == pieceLiteral:
		l.came([]byte(f.prog.prompts.literals[literalPrimary]), TakenMarker, "init.marker.primary")
	case p.kind == pieceForged:
		l.came(p.raw, TakenForged, p.name())
	default:
		f.bookText(p.raw)
	}
}

// bookText notes text. A person's line is shown up to its end.
func (f *flow) bookText(b []byte) {
	if c := f.cmd; c != nil && c.prelude.typed != nil && c.prelude.typed != f.events.ledger.echoed && f.stream.region == regionOutput {
		n := bytes.IndexByte(b, '\n') + 1
		if n > 0 {
			f.events.ledger.echoed = c.prelude.typed
		} else {
			n = len(b)
		}
		f.events.ledger.came(b[:n], TakenEcho, "")
		b = b[n:]
	}
	f.events.ledger.came(b, f.takenFor(), "")
}

// takenFor is what text is taken for that comes now.
func (f *flow) takenFor() Taken {
	line, c := f.typist.line, f.cmd
	ready := f.control.state.Step == machine.StepReady
	switch r := f.stream.region; {
	case f.events.ledger.asksOn():
		return TakenContinuation
	case ready && line != nil && !line.began:
		return TakenEcho
	case r == regionStartup:
		return TakenBanner
	case r == regionPrompt, ready && line != nil:
		return TakenPrompt
	case r == regionMore:
		return TakenContinuation
	case r != regionOutput, c == nil:
		return TakenOutOfBand
	case c.facts.incomplete:
		return TakenWithdrawn
	case c.prelude.expected:
		return TakenEcho
	}
	return TakenOutput
}

// matched takes the end of the text for the prompt that a pattern matches.
func (d *decider) matched() {
	d.askedFor()
	d.flow.pass(d.stream.promptMatched(d.detect.match.Start))
}

// askedFor notes the prompt that a pattern matches.
func (d *decider) askedFor() {
	as := TakenPrompt
	if d.detect.match.Tag == tagContinuation {
		as = TakenContinuation
	}
	d.events.ledger.prompt = len(d.stream.tail()) - d.detect.match.Start
	d.events.ledger.last(d.events.ledger.prompt, as)
}

// behind is how long the prompt is that ended a wait.
func (d *decider) behind(e machine.Effect) int {
	switch {
	case e.Match:
		return d.events.ledger.prompt
	case e.By == machine.ByExit, e.By == machine.ByIdle, d.prog.prompts.literals != nil:
		return 0
	}
	return len(d.stream.prompt)
}

// rule says in words what ended a wait for a prompt.
func (d *decider) rule(e machine.Effect) string {
	m := &d.detect.match
	key := fmt.Sprintf("%s %q matches", m.Key, m.Source)
	switch {
	case e.By == machine.ByExit:
		return "the program ended"
	case e.By == machine.ByInterrupt:
		return "a prompt came back after the interrupt"
	case e.Match && e.By == machine.ByIdle:
		return fmt.Sprintf("%s, and nothing came for %v (output.post_prompt_settle_ms)", key, d.control.policy.Settle)
	case e.Match:
		return key + ", and the program waits for input"
	case e.By == machine.ByIdle:
		return "nothing more comes, and the program waits for input"
	case d.prog.prompts.literals != nil:
		return "the marker that carries this session's nonce"
	case d.stream.ends:
		return "the marker of a prompt's end (B)"
	}
	return "the marker of a prompt (A)"
}

// parted divides a prompt's text from what others printed beside it.
func (f *flow) parted(decide func() sorted) sorted {
	before := len(f.stream.prompt)
	out := decide()
	if len(out.aside) > 0 {
		f.events.ledger.last(before, TakenOutOfBand)
		f.events.ledger.last(len(f.stream.prompt), TakenPrompt)
	}
	return out
}

// printLate prints what was taken for echo so far; behind it stands so much of a prompt.
func (f *flow) printLate(c *command, output []byte, behind int) {
	if len(output) > 0 && !c.facts.incomplete {
		f.events.ledger.last(len(output)+behind, TakenOutput)
		f.events.ledger.last(behind, TakenPrompt)
	}
	f.print(c, output)
}
