package htmlpage

import (
	"slices"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// Run is the content of a page, computed from a loop's records in their order.
type Run struct {
	Plan record.Tasks // as it is now

	measures     []measure // of all turns
	turns        []*turn   // the newest
	began, ended time.Time
	used         event.Tokens
	cost         float64 // US dollars, as the loop counts it
	stopped      *record.Line
}

// measure is a value of a turn that the chart shows.
type measure struct {
	turn int
	cost float64
	took time.Duration
}

// maxCards is how many turns are kept: more than a page has room for, since each card has more bytes
// than this divides by.
const maxCards = maxBytes / 64

// turn is one card.
type turn struct {
	record.Line // its first line
	took        time.Duration
	used        event.Tokens
	cost        float64
	events      []*happened
	open        []*happened // tools without a result
	ended       *record.Line
	after       []record.Line // verified, committed, and the other lines after its end
	added, gone int           // lines, as tools that write say it
}

// happened is an event; that of a tool includes the result.
type happened struct {
	event.Event
	at     time.Time
	result *event.Event
	took   time.Duration
	line   *record.Line // instead of an event: what the loop noted in the middle of a turn
}

// Maximum lengths of the texts kept of one event, in bytes.
const (
	maxSaid   = 20_000
	maxResult = 4_000
)

// Take adds one record. The start of another run starts another page.
func (r *Run) Take(rec journal.Record) {
	if !rec.Time.IsZero() {
		if r.began.IsZero() {
			r.began = rec.Time
		}
		r.ended = rec.Time
	}
	if rec.Event != nil {
		if len(r.turns) > 0 {
			r.turns[len(r.turns)-1].take(*rec.Event, rec.Time)
		}
		return
	}
	line := rec.Line
	switch rec.Type {
	case record.RunStarted:
		*r = Run{Plan: r.Plan, began: rec.Time, ended: rec.Time}
	case record.TurnStarted:
		if len(r.turns) >= maxCards+maxCards/4 { // seldom, because the rest is copied
			r.turns = slices.Clone(r.turns[len(r.turns)-maxCards:])
		}
		r.turns = append(r.turns, &turn{Line: line})
		r.measures = append(r.measures, measure{turn: line.Turn})
	case record.TurnCut:
		line.Failure = &event.Failure{Kind: event.Interrupted, Message: line.Why}
		r.turnEnded(line)
	case record.TurnEnded:
		r.turnEnded(line)
	case record.Stopped:
		r.stopped = &line
	default:
		if n := len(r.turns); n > 0 {
			r.turns[n-1].note(line)
		}
	}
}

func (r *Run) turnEnded(line record.Line) {
	if len(r.turns) == 0 {
		return
	}
	t := r.turns[len(r.turns)-1]
	t.ended, t.took, t.cost = &line, max(0, line.Time.Sub(t.Time)), t.used.CostUSD
	if line.State != nil { // it counts what an agent tells at the end alone, too
		t.cost = max(0, event.SumUSD(line.State.CostUSD, -r.cost))
	}
	line.State = nil // a card does not show it, and it is most of the memory of a long run
	last := &r.measures[len(r.measures)-1]
	last.cost, last.took = t.cost, t.took
	r.cost = event.SumUSD(r.cost, t.cost)
	r.used = r.used.Add(t.used)
}

func (t *turn) note(line record.Line) {
	if t.ended == nil {
		t.events = append(t.events, &happened{line: &line})
	} else {
		t.after = append(t.after, line)
	}
}

func (t *turn) take(e event.Event, at time.Time) {
	switch e.Type {
	case event.Usage:
		if e.Tokens != nil {
			t.used = *e.Tokens
		}
		return
	case event.ToolResult:
		t.answered(e, at)
		return
	case event.ToolUse:
		added, gone := written(e)
		t.added, t.gone = t.added+added, t.gone+gone
	case event.Text, event.Reasoning:
		e.Text = shortened(e.Text, maxSaid)
	case event.RateLimited, event.PermissionDenied, event.Error:
	default:
		return
	}
	h := &happened{Event: e, at: at}
	t.events = append(t.events, h)
	if e.Type == event.ToolUse {
		t.open = append(t.open, h)
	}
}

// answered puts a result to its tool: by its id, else to the oldest that has none.
func (t *turn) answered(e event.Event, at time.Time) {
	for i, h := range t.open {
		if h.ID == e.ID || e.ID == "" || h.ID == "" {
			e.Content = shortened(e.Content, maxResult)
			h.result, h.took = &e, max(0, at.Sub(h.at))
			t.open = append(t.open[:i], t.open[i+1:]...)
			return
		}
	}
}
