package loop

import (
	"encoding/json"
	"os"
	"time"

	"ripple/runtime/loop/layout"
)

// session is the agent's conversation that the next turn goes on with. Its JSON
// is that of .ralph_session: one shape while there is one, another without.
type session struct {
	ID          string
	Agent       string // whose it is; "" when nobody noted it
	CreatedAt   time.Time
	LastUsed    time.Time
	ResetAt     time.Time
	ResetReason string
}

type activeSession struct {
	ID        string `json:"session_id"`
	CreatedAt moment `json:"created_at"`
	LastUsed  moment `json:"last_used"`
	Agent     string `json:"agent,omitempty"`
}

type resetSession struct {
	ID     string `json:"session_id"`
	At     moment `json:"reset_at"`
	Reason string `json:"reset_reason"`
}

// MarshalJSON writes the shape of the seed.
func (s session) MarshalJSON() ([]byte, error) {
	if s.ID == "" {
		return json.Marshal(resetSession{"", moment{s.ResetAt}, s.ResetReason})
	}
	return json.Marshal(activeSession{s.ID, moment{s.CreatedAt}, moment{s.LastUsed}, s.Agent})
}

// UnmarshalJSON reads either shape.
func (s *session) UnmarshalJSON(data []byte) error {
	var v struct {
		activeSession
		At     moment `json:"reset_at"`
		Reason string `json:"reset_reason"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = session{v.ID, v.Agent, v.CreatedAt.Time, v.LastUsed.Time, v.At.Time, v.Reason}
	return nil
}

// transition is an entry of .ralph_session_history.
type transition struct {
	At     time.Time `json:"timestamp"`
	From   string    `json:"from_session"`
	To     string    `json:"to_session"`
	Reason string    `json:"reason"`
	Loop   int       `json:"loop_number"`
}

// maxHistory is how many transitions are kept.
const maxHistory = 50

// use notes that a turn of an agent went well in a session. The transition is nil
// when it is the one that was there.
func (s *session) use(id, agent string, turn int, now time.Time) *transition {
	if id == s.ID {
		s.LastUsed, s.Agent = now, agent
		return nil
	}
	t := &transition{now.Truncate(time.Second), s.ID, id, "session_started", turn}
	*s = session{ID: id, Agent: agent, CreatedAt: now, LastUsed: now}
	return t
}

// reset ends a session; nil when there is none.
func (s *session) reset(reason string, turn int, now time.Time) *transition {
	if s.ID == "" {
		return nil
	}
	t := &transition{now.Truncate(time.Second), s.ID, "", reason, turn}
	*s = session{ResetAt: now, ResetReason: reason}
	return t
}

// expired says whether a session lay unused too long. A clock that went
// backwards ends none.
func (s *session) expired(after time.Duration, now time.Time) bool {
	return s.ID != "" && after > 0 && now.Sub(s.LastUsed) >= after
}

// loadSession reads the session of an earlier run. An id file without a state
// file counts as used when it was written.
func (s *store) loadSession() (v session, damaged string, err error) {
	_, damaged, err = s.readJSON(layout.SessionFile, &v, func() bool { return true })
	if err != nil || damaged != "" {
		v = session{}
	}
	if err != nil {
		return v, damaged, err
	}
	id, err := s.readText(layout.IDFile)
	if err != nil || id == v.ID {
		return v, damaged, err
	}
	if id == "" {
		return session{ResetAt: v.ResetAt, ResetReason: v.ResetReason}, damaged, nil
	}
	info, err := os.Stat(s.path(layout.IDFile))
	if err != nil {
		return v, damaged, err
	}
	return session{ID: id, CreatedAt: info.ModTime(), LastUsed: info.ModTime()}, damaged, nil
}

// saveSession writes the three files of a session. Transitions that the history
// has already, from before a crash, are not added again.
func (s *store) saveSession(v session, moves []transition) error {
	if err := s.saveHistory(moves); err != nil {
		return err
	}
	if v.ID == "" {
		if v.ResetAt.IsZero() {
			return nil // there never was one
		}
		if err := s.remove(layout.IDFile); err != nil {
			return err
		}
	} else if err := s.refreshText(layout.IDFile, []byte(v.ID+"\n")); err != nil {
		return err
	}
	return s.refresh(layout.SessionFile, v)
}

func (s *store) saveHistory(moves []transition) error {
	if len(moves) == 0 {
		return nil
	}
	var list []transition
	if _, _, err := s.readJSON(layout.HistoryFile, &list, func() bool { return true }); err != nil {
		return err
	}
	for _, m := range moves {
		if !hasMove(list, m) {
			list = append(list, m)
		}
	}
	return s.writeJSON(layout.HistoryFile, list[max(0, len(list)-maxHistory):])
}

func hasMove(list []transition, m transition) bool {
	for _, t := range list {
		at := t.At
		t.At = m.At
		if t == m && at.Equal(m.At) {
			return true
		}
	}
	return false
}
