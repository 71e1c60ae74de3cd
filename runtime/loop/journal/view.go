package journal

import (
	"slices"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/record"
)

// View is how the run stands that the last of some records belong to: their fold, in
// order. Whoever looks at a loop has one, be it fed by a Tail or by the loop itself.
type View struct {
	Turn     int // the one under way, or that ended last
	MaxTurns int
	Agent    string
	Branch   string
	Task     string
	Hat      string            // takes the turn; "" for none
	Subject  string            // the topics that the turn is for
	Begun    time.Time         // of the turn under way; zero: none is
	Turns    []Turn            // the last MaxTurnsKept
	Tokens   event.Tokens      // of the run so far, the turn under way included
	Circuit  string            // state of the circuit breaker, "" while nothing is known
	Calls    int               // turns begun in the hour up to the last one
	Reason   string            // why the run stopped; "" while it goes on
	Why      string            // the same in words
	Open     []record.Question // that wait for a person

	ended event.Tokens // of the turns that ended
}

// Turn is what is known of one turn.
type Turn struct {
	Turn     int
	Hat      string
	Begun    time.Time
	Took     time.Duration
	Used     event.Tokens
	Ended    bool
	Failed   bool
	Progress bool
}

// MaxTurnsKept is more than anybody looks at, and bounds what a View holds.
const MaxTurnsKept = 200

// Take folds one record in.
func (v *View) Take(r Record) {
	if r.Event != nil {
		if r.Event.Type == event.Usage && r.Event.Tokens != nil {
			v.used(*r.Event.Tokens)
		}
		return
	}
	switch r.Type {
	case record.RunStarted:
		*v = View{}
	case record.TurnStarted:
		v.started(r)
	case record.TurnEnded:
		v.turnEnded(r)
	case record.Stopped:
		v.Begun, v.Reason, v.Why = time.Time{}, r.Reason, r.Why
	}
	v.Open = Fold(v.Open, r.Line)
	if s := r.State; s != nil {
		v.Turn, v.Circuit, v.Open = s.Turn, s.Breaker.State, s.Questions
	}
	v.Open = slices.DeleteFunc(slices.Clone(v.Open), func(q record.Question) bool { return !q.Open() })
}

func (v *View) started(r Record) {
	v.Turn, v.Agent, v.Branch, v.Task = r.Turn, r.Agent, r.Branch, r.Task
	v.MaxTurns, v.Begun, v.Reason, v.Why = r.MaxTurns, r.Time, "", ""
	v.Calls, v.Hat, v.Subject = r.Calls, r.Hat, r.Subject
	if r.Circuit != "" {
		v.Circuit = r.Circuit
	}
	v.ended = v.Tokens
	v.Turns = append(v.Turns, Turn{Turn: r.Turn, Hat: r.Hat, Begun: r.Time})
	v.Turns = v.Turns[max(0, len(v.Turns)-MaxTurnsKept):]
}

// used takes in what the turn under way used so far.
func (v *View) used(tokens event.Tokens) {
	if n := len(v.Turns); n > 0 {
		v.Turns[n-1].Used = tokens
		v.Tokens = v.ended.Add(tokens)
	}
}

func (v *View) turnEnded(r Record) {
	v.Begun = time.Time{}
	if n := len(v.Turns); n > 0 {
		t := &v.Turns[n-1]
		t.Ended, t.Failed, t.Took = true, r.Failure != nil, max(0, r.Time.Sub(t.Begun))
		t.Progress = r.Progress != nil && *r.Progress
	}
	if r.State != nil { // it counts what an agent tells at the end alone
		v.Tokens.CostUSD = r.State.CostUSD
	}
}
