package record

import (
	"encoding/json"
	"time"
)

// Session is the agent's conversation that the next turn goes on with. Its JSON
// is that of .ralph_session: one shape while there is one, another without.
type Session struct {
	ID          string
	Agent       string // whose it is; "" when nobody noted it
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

// MarshalJSON writes the shape of the seed.
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

// Use notes that a turn of an agent went well in a session. The move is nil
// when it is the one that was there.
func (s *Session) Use(id, agent string, turn int, now time.Time) *Move {
	if id == s.ID {
		s.LastUsed, s.Agent = now, agent
		return nil
	}
	t := &Move{now.Truncate(time.Second), s.ID, id, "session_started", turn}
	*s = Session{ID: id, Agent: agent, CreatedAt: now, LastUsed: now}
	return t
}

// Reset ends a session; nil when there is none.
func (s *Session) Reset(reason string, turn int, now time.Time) *Move {
	if s.ID == "" {
		return nil
	}
	t := &Move{now.Truncate(time.Second), s.ID, "", reason, turn}
	*s = Session{ResetAt: now, ResetReason: reason}
	return t
}

// Expired says whether a session lay unused too long. A clock that went
// backwards ends none.
func (s *Session) Expired(after time.Duration, now time.Time) bool {
	return s.ID != "" && after > 0 && now.Sub(s.LastUsed) >= after
}
