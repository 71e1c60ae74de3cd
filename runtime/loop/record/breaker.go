package record

// States of the circuit breaker.
const (
	Closed   = "CLOSED"
	HalfOpen = "HALF_OPEN"
	Open     = "OPEN"
)

// Breaker is the state of the circuit breaker, which stops a loop that makes no progress. Its
// JSON is that of .circuit_breaker_state.
type Breaker struct {
	State             string `json:"state"`
	NoProgress        int    `json:"consecutive_no_progress"`
	SameError         int    `json:"consecutive_same_error"`
	PermissionDenials int    `json:"consecutive_permission_denials"`
	LastProgress      int    `json:"last_progress_loop"`
	TotalOpens        int    `json:"total_opens"`
	Reason            string `json:"reason"`
	OpenedAt          *Time  `json:"opened_at,omitempty"`
	CurrentLoop       int    `json:"current_loop"`
}

// Valid reports whether a state that was read can be used.
func (b *Breaker) Valid() bool {
	known := b.State == Closed || b.State == HalfOpen || b.State == Open
	return known && min(b.NoProgress, b.SameError, b.PermissionDenials, b.LastProgress, b.TotalOpens, b.CurrentLoop) >= 0
}

// Memory is the data that the breaker compares a turn with. The file of the Ralph reference has
// no field for it.
type Memory struct {
	Errors   []string `json:"errors,omitempty"`  // signatures of the last turn's errors
	Outputs  []int    `json:"outputs,omitempty"` // output of the last turns in characters; at most 3
	Declines int      `json:"declines"`          // consecutive turns whose output shrank

	Unchanged int `json:"unchanged,omitempty"` // consecutive turns that changed no file
}

// Gate holds the completion signals of the turns so far.
type Gate struct {
	Indicators int  `json:"indicators"` // consecutive turns that claimed completion
	TestTurns  int  `json:"test_turns"` // consecutive turns that only tested
	Blocked    int  `json:"blocked"`    // consecutive turns that were blocked
	ExitSignal bool `json:"exit_signal"`
	Promise    bool `json:"promise"`           // the last turn ended with the promise
	Denied     bool `json:"denied"`            // the last turn was denied a tool
	Failing    bool `json:"failing,omitempty"` // it reported failing tests
	Failed     bool `json:"failed,omitempty"`  // it failed or was cut off
	Claimed    bool `json:"claimed,omitempty"` // it claimed completion, whether or not that counts

	By        string `json:"by,omitempty"`        // the hat that took the last turn; "" for none
	Uncounted string `json:"uncounted,omitempty"` // the reason that its promise does not count; "" if it counts
}
