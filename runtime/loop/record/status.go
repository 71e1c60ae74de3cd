package record

import "time"

// Status is the content of status.json.
type Status struct {
	Timestamp  Time   `json:"timestamp"`
	LoopCount  int    `json:"loop_count"`
	CallsMade  int    `json:"calls_made_this_hour"`
	MaxCalls   int    `json:"max_calls_per_hour"`
	LastAction string `json:"last_action"`
	Status     string `json:"status"` // running, paused, success, error, completed, halted, stopped
	ExitReason string `json:"exit_reason"`
	NextReset  Time   `json:"next_reset"`
}

// Holder identifies the process that runs a project's loop: the content of loop.lock.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	Dir     string    `json:"dir,omitempty"` // the agent's working directory, relative to the project; "" for the project itself
}
