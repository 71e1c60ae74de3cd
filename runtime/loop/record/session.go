package record

import (
	"encoding/json"
	"time"
)

// Session is the agent's conversation that the next turn continues. Its JSON is that of
// .ralph_session, which has one shape for a session and another for none.
type Session struct {
	ID          string
	Agent       string // the agent that owns it; "" if not recorded
	CreatedAt   time.Time
	LastUsed    time.Time
	ResetAt     time.Time
	ResetReason string
}

type activeSession struct {
	ID        string `json:"session_id"`
	CreatedAt Time   `json:"created_at"`
	LastUsed  Time   `json:"last_used"`
	Agent     string `json:"agent,omitempty"`
}

type endedSession struct {
	ID     string `json:"session_id"`
	At     Time   `json:"reset_at"`
	Reason string `json:"reset_reason"`
}

// MarshalJSON writes the shape that the Ralph reference uses.
func (s Session) MarshalJSON() ([]byte, error) {
	if s.ID == "" {
		return json.Marshal(endedSession{"", Time{s.ResetAt}, s.ResetReason})
	}
	return json.Marshal(activeSession{s.ID, Time{s.CreatedAt}, Time{s.LastUsed}, s.Agent})
}

// UnmarshalJSON reads either shape.
func (s *Session) UnmarshalJSON(data []byte) error {
	var v struct {
		activeSession
		At     Time   `json:"reset_at"`
		Reason string `json:"reset_reason"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = Session{v.ID, v.Agent, v.CreatedAt.Time, v.LastUsed.Time, v.At.Time, v.Reason}
	return nil
}

// Move is an entry of .ralph_session_history.
type Move struct {
	At     time.Time `json:"timestamp"`
	From   string    `json:"from_session"`
	To     string    `json:"to_session"`
	Reason string    `json:"reason"`
	Loop   int       `json:"loop_number"`
}

// Use records a successful turn of an agent in a session. The move is nil if the session is
// unchanged.
func (s *Session) Use(id, agent string, turn int, now time.Time) *Move {
	if id == s.ID {
		s.LastUsed, s.Agent = now, agent
		return nil
	}
	t := &Move{now.Truncate(time.Second), s.ID, id, "session_started", turn}
	*s = Session{ID: id, Agent: agent, CreatedAt: now, LastUsed: now}
	return t
}

// Reset ends a session and returns the move; nil if none was active.
func (s *Session) Reset(reason string, turn int, now time.Time) *Move {
	if s.ID == "" {
		return nil
	}
	t := &Move{now.Truncate(time.Second), s.ID, "", reason, turn}
	*s = Session{ResetAt: now, ResetReason: reason}
	return t
}

// Expired reports whether a session was unused for too long. A clock that moved backwards expires
// none.
func (s *Session) Expired(after time.Duration, now time.Time) bool {
	return s.ID != "" && after > 0 && now.Sub(s.LastUsed) >= after
}
