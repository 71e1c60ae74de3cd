package agent

import (
	"fmt"
	"slices"
	"strings"

	"ripple/runtime/event"
	"ripple/runtime/mapping"
	"ripple/schema"
)

const (
	maxBlock   = 1 << 20  // of text that does not end
	keptStderr = 64 << 10 // of the other stream
	keptPlain  = 64 << 10 // of output that is no JSON
	maxProblem = 20       // different complaints that are kept
)

// reader makes events of what an agent prints and collects the evidence that its
// turn is judged by. It is pure: bytes in, events out. One goroutine uses it.
type reader struct {
	evidence
	program *mapping.Program // nil: plain text
	lines   lines
	spread  spread
	emit    func(event.Event)

	scratch []event.Event
	text    joiner // pieces of text
	thought joiner // pieces of reasoning

	session  string
	final    string // the last text
	denials  []event.Event
	asked    []string          // questions for a person
	uses     map[string]string // names of the tools in use, by id
	used     event.Tokens      // by the turn, as counted so far
	total    event.Tokens      // by the session
	before   event.Tokens      // by the session before this turn
	unknown  int
	lenient  bool // a line that is not known is known to somebody else
	problems []string
}

// newReader reads the turn of an agent. used is what its session had used
// before. emit gets every event, in order.
func newReader(g *schema.Agent, used event.Tokens, emit func(event.Event)) (*reader, error) {
	v := evidence{agent: g, plain: tail{limit: keptPlain}, stderr: tail{limit: keptStderr}, heldText: tail{limit: keptPlain}}
	r := &reader{evidence: v, emit: emit, before: used, uses: map[string]string{}}
	var err error
	switch {
	case g.Transport == schema.TransportACP:
		r.program, err = mapping.NewACP(g)
	case g.Output.Format != schema.FormatText:
		r.program, err = mapping.New(g)
	}
	if err != nil {
		return nil, err
	}
	r.spread.emit = r.line
	r.lines.emit = r.spread.line
	r.lines.lost = func(n int) {
		r.problem(fmt.Sprintf("%d bytes of one long line were left out; a transcript keeps all", n))
	}
	return r, nil
}

// writeOther takes a piece of the other stream.
func (r *reader) writeOther(b []byte) {
	r.stderr.write(b)
	r.heldText.write(b)
}

// write takes a piece of the stream that carries the events.
func (r *reader) write(b []byte) {
	switch r.agent.Output.Format {
	case schema.FormatNDJSON:
		r.lines.feed(b)
	case schema.FormatJSON:
		r.lines.add(b) // one document
	default:
		r.piece(&r.text, string(b))
	}
}

// piece adds to a block that has not ended; one that becomes too long is shown
// in parts.
func (r *reader) piece(j *joiner, text string) {
	j.WriteString(text)
	if j.Len() >= maxBlock {
		rest := j.split()
		r.emitBlock(j)
		j.WriteString(rest)
		j.parted = true
	}
}

// close is the end of the stream.
func (r *reader) close() {
	r.lines.end()
	r.spread.end()
	r.flush()
}

func (r *reader) line(b []byte) {
	events, err := r.program.Line(b, r.scratch[:0])
	r.scratch = events
	if err != nil {
		r.problem(err.Error())
	}
	for _, e := range events {
		r.take(e)
	}
}

func (r *reader) problem(text string) {
	if len(r.problems) < maxProblem && !slices.Contains(r.problems, text) {
		r.problems = append(r.problems, text)
	}
}

// take is one event of the mapping.
func (r *reader) take(e event.Event) {
	switch e.Type {
	case event.Text, event.Reasoning, event.ToolUse, event.ToolResult:
		r.held, r.heldText.buf = nil, r.heldText.buf[:0] // the provider answers
	}
	switch e.Type {
	case event.Text, event.Reasoning:
		r.block(e)
		return
	case event.Usage:
		r.usage(e)
		return // shown once, at the end of the turn
	}
	r.flush()
	switch e.Type {
	case event.Ignored:
		return // it only ends a block
	case event.Session:
		if e.ID == "" || e.ID == r.session {
			return
		}
		r.session = e.ID
	case event.Unknown:
		if r.lenient {
			return
		}
		r.unknown++
		if !strings.HasPrefix(strings.TrimSpace(e.Raw), "{") {
			r.plain.write([]byte(e.Raw + "\n"))
		}
	case event.Error:
		r.failed = append(r.failed, e)
		if e.Kind == event.Auth || e.Kind == event.Limited {
			r.held = &e
		}
	case event.RateLimited:
		if r.limited != nil && e.ResetsAt.IsZero() {
			e.ResetsAt = r.limited.ResetsAt // said before
		}
		r.limited, r.held = &e, &e
	case event.ToolUse, event.PermissionDenied:
		if !r.tool(&e) {
			return
		}
	case event.Finished:
		r.finished = &e
		if e.CostUSD > 0 && r.used.CostUSD == 0 {
			r.used.CostUSD = e.CostUSD
		}
	}
	r.emit(e)
}

// tool takes a tool's use or its refusal; it says whether it is news. Some agents
// tell a use when it begins and when it ends, and a refusal without its name.
func (r *reader) tool(e *event.Event) bool {
	name, known := r.uses[e.ID]
	if e.Type == event.ToolUse {
		if e.ID != "" {
			r.uses[e.ID] = e.Name
		}
		if text := e.Asked(); text != "" && !known {
			r.asked = append(r.asked, text)
		}
		return !known
	}
	if r.denied(*e) {
		return false
	}
	if known && e.Name == "" {
		e.Name, e.Tool = name, r.program.Tool(name)
	}
	if e.Tool == event.Asking {
		return false // nobody is there to answer: told when it was asked
	}
	r.denials = append(r.denials, *e)
	return true
}

// denied says that a refusal is known already: agents tell it at once and again
// at the end.
func (r *reader) denied(e event.Event) bool {
	for _, d := range r.denials {
		if e.ID != "" && d.ID == e.ID {
			return true
		}
	}
	return false
}

// block is text or reasoning, whole or a piece. A whole block that repeats the
// pieces before it is known already.
func (r *reader) block(e event.Event) {
	mine, other := &r.text, &r.thought
	if e.Type == event.Reasoning {
		mine, other = other, mine
	}
	r.emitBlock(other)
	if e.Delta {
		r.piece(mine, e.Text)
		return
	}
	if !mine.repeats(e.Text) {
		r.emitBlock(mine)
		mine.WriteString(e.Text)
	}
	r.emitBlock(mine)
}

func (r *reader) emitBlock(j *joiner) {
	text := j.take()
	if strings.TrimSpace(text) == "" {
		return
	}
	kind := event.Text
	if j == &r.thought {
		kind = event.Reasoning
	} else {
		r.final = text
	}
	r.emit(event.Event{Type: kind, Text: text})
}

// flush ends the blocks that pieces have begun.
func (r *reader) flush() {
	r.emitBlock(&r.thought)
	r.emitBlock(&r.text)
}

// usage counts. A count of the session is made the turn's.
func (r *reader) usage(e event.Event) {
	t := *e.Tokens
	switch t.Scope {
	case event.ScopeStep:
		r.used = r.used.Add(t)
	case event.ScopeSession:
		r.total = t
		r.used = t.Since(r.before)
	default:
		r.used = t
	}
	r.used.Scope, r.total.Scope = "", ""
}
