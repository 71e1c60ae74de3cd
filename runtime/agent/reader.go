package agent

import (
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

const (
	maxBlock   = 1 << 20  // of text without an end
	keptStderr = 64 << 10 // of the other stream
	keptPlain  = 64 << 10 // of output that is not JSON
	maxProblem = 20       // number of different problems kept
)

// reader converts an agent's output to events and collects the evidence by which its turn is
// judged. It is pure: its input is bytes, its output events. It is not safe for concurrent use.
type reader struct {
	evidence
	program *mapping.Program // nil: plain text
	lines   lines
	spread  spread
	emit    func(event.Event)

	scratch []event.Event
	text    joiner // pieces of text
	thought joiner // pieces of reasoning
	emitted emitted

	session  string
	denials  []event.Event
	asked    []string          // questions to the user
	uses     map[string]string // names of the tools in use, by ID
	used     event.Tokens      // by the turn, as reported so far
	total    event.Tokens      // by the session
	before   event.Tokens      // by the session before this turn
	unknown  int
	lenient  bool // other code may handle a line that the program does not know
	problems []string
	faults   fault.Reports
	cut      int // bytes omitted from the next line
}

// newReader returns a reader for a turn of an agent. used is the earlier usage of its session.
// emit is called with every event, in order.
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
		r.cut += n
	}
	return r, nil
}

// writeOther handles a chunk of the other stream.
func (r *reader) writeOther(b []byte) {
	r.stderr.write(b)
	r.heldText.write(b)
}

// write handles a chunk of the stream that carries the events.
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

// piece appends to an open block; a block that becomes too long is emitted in parts.
func (r *reader) piece(j *joiner, text string) {
	j.WriteString(text)
	if j.Len() >= maxBlock {
		rest := j.split()
		r.emitBlock(j)
		j.WriteString(rest)
		j.parted = true
	}
}

// close handles the end of the stream.
func (r *reader) close() {
	r.lines.end()
	r.spread.end()
	r.flush()
}

func (r *reader) line(b []byte) {
	events, err := r.program.Line(b, r.scratch[:0])
	r.scratch = events
	if err != nil {
		r.problemOf(err)
	}
	shown := false
	for _, e := range events {
		shown = shown || !(e.Type == event.Finished && r.answer != "") && !r.streamed(e)
		r.take(e)
	}
	r.tellCut(shown)
}

// streamed reports whether a text is complete and was reported in pieces before.
func (r *reader) streamed(e event.Event) bool {
	switch e.Type {
	case event.Text:
		return r.text.Len() > 0 || r.text.parted
	case event.Reasoning:
		return r.thought.Len() > 0 || r.thought.parted
	}
	return e.Type == event.Usage || e.Type == event.Session || e.Type == event.Ignored
}

// tellCut reports the number of bytes omitted from a line, unless they were reported elsewhere: a
// streamed answer is complete even if the line that repeats it is not.
func (r *reader) tellCut(shown bool) {
	if r.cut > 0 && shown {
		r.problem(fmt.Sprintf("%d bytes of one long line were left out of the output; a recorded transcript contains them", r.cut))
	}
	r.cut = 0
}

func (r *reader) problem(text string) {
	if len(r.problems) < maxProblem && !slices.Contains(r.problems, text) {
		r.problems = append(r.problems, text)
	}
}

// take handles one event of the mapping.
func (r *reader) take(e event.Event) {
	switch e.Type {
	case event.Text, event.Reasoning, event.ToolUse, event.ToolResult:
		r.held, r.heldText.buf = nil, r.heldText.buf[:0] // the provider responds
	}
	switch e.Type {
	case event.Text, event.Reasoning:
		r.block(e)
		return
	case event.Usage:
		r.usage(e)
		return // emitted once, at the end of the turn
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
		if retried(e.Kind) {
			r.held = &e
		}
	case event.RateLimited:
		if r.limited != nil && e.ResetsAt.IsZero() {
			e.ResetsAt = r.limited.ResetsAt // reported earlier
		}
		r.limited, r.held = &e, &e
	case event.ToolUse, event.PermissionDenied:
		r.acted = true
		if !r.tool(&e) {
			return
		}
	case event.Finished:
		r.result(e)
		r.finished = &e
		if e.CostUSD > 0 && r.used.CostUSD == 0 {
			r.used.CostUSD = e.CostUSD
		}
	}
	r.emit(e)
}

// tool handles a tool's use or its denial and reports whether it is new. Some agents report a use
// at its start and at its end, and a denial without the tool's name.
func (r *reader) tool(e *event.Event) bool {
	name, known := r.uses[e.ID]
	if e.Type == event.ToolUse {
		if e.ID != "" {
			r.uses[e.ID] = e.Name
		}
		if text := e.QuestionText(); text != "" && !known {
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
	if e.Tool == event.ToolQuestion {
		return false // nobody can answer; it was reported when it was asked
	}
	r.denials = append(r.denials, *e)
	return true
}

// denied reports whether a denial is known already: agents report it immediately and again at the
// end.
func (r *reader) denied(e event.Event) bool {
	for _, d := range r.denials {
		if e.ID != "" && d.ID == e.ID {
			return true
		}
	}
	return false
}

// block handles text or reasoning, either whole or as a piece. A whole block that repeats earlier
// pieces is ignored.
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
		kind, r.acted = event.Reasoning, true
	} else {
		r.answer = text
		r.emitted.add(text)
	}
	r.emit(event.Event{Type: kind, Text: text})
}

// flush ends the blocks that pieces have started.
func (r *reader) flush() {
	r.emitBlock(&r.thought)
	r.emitBlock(&r.text)
}

// usage counts tokens. It converts usage of the session to usage of the turn.
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
