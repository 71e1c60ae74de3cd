package journal

import (
	"slices"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// View is the state of the run to which the last record belongs: records reduced in order. Each
// observer of a loop has one, fed by a Tail or by the running loop.
type View struct {
	Turn     int // the current or last turn
	MaxTurns int
	Agent    string
	Branch   string
	Hat      string            // hat of the turn; "" for none
	Subject  string            // topics of the turn
	Begun    time.Time         // start of the current turn; zero if none
	Turns    []Turn            // the last MaxTurnsKept turns
	Tokens   event.Tokens      // of the run so far, including the current turn
	Circuit  string            // state of the circuit breaker, "" if unknown
	Calls    int               // turns started in the hour up to the last one
	Reason   string            // the reason that the run stopped; "" while it runs
	Open     []record.Question // questions that wait for an answer

	ended event.Tokens // of completed turns
}

// Turn is a summary of one turn.
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

// MaxTurnsKept limits the size of a View; it exceeds what observers show.
const MaxTurnsKept = 200

// Take applies one record.
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
	case record.TurnEnded, record.TurnCut:
		v.turnEnded(r)
	case record.Stopped:
		v.Begun, v.Reason = time.Time{}, r.Reason
	}
	v.Open = UpdateQuestions(v.Open, r.Line)
	if s := r.State; s != nil {
		v.Turn, v.Circuit, v.Open = s.Turn, s.Breaker.State, s.Questions
	}
	v.Open = slices.DeleteFunc(slices.Clone(v.Open), func(q record.Question) bool { return !q.Open() })
}

func (v *View) started(r Record) {
	v.Turn, v.Agent, v.Branch = r.Turn, r.Agent, r.Branch
	v.MaxTurns, v.Begun, v.Reason = r.MaxTurns, r.Time, ""
	v.Calls, v.Hat, v.Subject = r.Calls, r.Hat, r.Subject
	if r.Circuit != "" {
		v.Circuit = r.Circuit
	}
	v.ended = v.Tokens
	v.Turns = append(v.Turns, Turn{Turn: r.Turn, Hat: r.Hat, Begun: r.Time})
	v.Turns = v.Turns[max(0, len(v.Turns)-MaxTurnsKept):]
}

// used adds the tokens of the current turn.
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
		t.Ended, t.Failed, t.Took = true, r.Failure != nil || r.Type == record.TurnCut, max(0, r.Time.Sub(t.Begun))
		t.Progress = r.Progress != nil && *r.Progress
	}
	if r.State != nil { // it includes tokens that an agent reports only at its end
		v.Tokens.CostUSD = r.State.CostUSD
	}
}
