package record

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"
)

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

	// Answerers is the SHA-256 sum, in hexadecimal, of the token by which the commands that the user has
	// set for questions, and what they start, act for the user; "": none may.
	Answerers string `json:"answerers,omitempty"`
}

// SetToken permits commands with a token to act for the user.
func (h *Holder) SetToken(token string) { h.Answerers = sum(token) }

// Permits reports whether a command with a token may act for the user.
func (h Holder) Permits(token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(sum(token)), []byte(h.Answerers)) == 1
}

func sum(token string) string {
	digest := sha256.Sum256([]byte(token))
	return hex.EncodeToString(digest[:])
}
