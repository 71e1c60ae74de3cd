package record

// States of the circuit breaker.
const (
	Closed   = "CLOSED"
	HalfOpen = "HALF_OPEN"
	Open     = "OPEN"
)

// Breaker is the circuit breaker, which stops a loop that gets nowhere. Its JSON is that of
// .circuit_breaker_state.
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

// Valid says whether a state that was read can be used.
func (b *Breaker) Valid() bool {
	known := b.State == Closed || b.State == HalfOpen || b.State == Open
	return known && min(b.NoProgress, b.SameError, b.PermissionDenials, b.LastProgress, b.TotalOpens, b.CurrentLoop) >= 0
}

// Memory is what the breaker compares a turn with. The seed's file has no place
// for it.
type Memory struct {
	Errors   []string `json:"errors,omitempty"`  // signatures of the last turn
	Outputs  []int    `json:"outputs,omitempty"` // characters of the last turns, at most 3
	Declines int      `json:"declines"`          // turns in a row whose output shrank
}

// Gate remembers what the turns so far said about being done.
type Gate struct {
	Indicators int  `json:"indicators"` // turns in a row that claimed completion
	TestTurns  int  `json:"test_turns"` // turns in a row that only tested
	Blocked    int  `json:"blocked"`    // turns in a row that were blocked
	ExitSignal bool `json:"exit_signal"`
	Promise    bool `json:"promise"`           // the last turn ended with the promise
	Denied     bool `json:"denied"`            // the last turn was denied something
	Failing    bool `json:"failing,omitempty"` // it said that its tests fail
	Claimed    bool `json:"claimed,omitempty"` // it said that it is done, whether that counts or not
}
