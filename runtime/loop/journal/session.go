package journal

import (
	"example.com/ripple/runtime/loop/layout"
	"example.com/ripple/runtime/loop/record"
)

// maxHistory is the maximum number of transitions kept.
const maxHistory = 50

// LoadSession reads the session of an earlier run. An id file without a state file counts as last
// used at its modification time.
func (s *Store) LoadSession() (v record.Session, damaged string, err error) {
	_, damaged, err = s.ReadJSON(layout.SessionFile, &v, func() bool { return true })
	if err != nil || damaged != "" {
		v = record.Session{}
	}
	if err != nil {
		return v, damaged, err
	}
	id, err := s.ReadText(layout.IDFile)
	if err != nil || id == v.ID {
		return v, damaged, err
	}
	if id == "" {
		return record.Session{ResetAt: v.ResetAt, ResetReason: v.ResetReason}, damaged, nil
	}
	info, err := s.files.Stat(layout.IDFile)
	if err != nil {
		return v, damaged, err
	}
	return record.Session{ID: id, CreatedAt: info.ModTime(), LastUsed: info.ModTime()}, damaged, nil
}

// SaveSession writes the three files of a session. Transitions that the history already has, from
// before a crash, are not added again.
func (s *Store) SaveSession(v record.Session, moves []record.Move) error {
	if err := s.saveHistory(moves); err != nil {
		return err
	}
	if v.ID == "" {
		if v.ResetAt.IsZero() {
			return nil // no session has existed
		}
		if err := s.Remove(layout.IDFile); err != nil {
			return err
		}
	} else if err := s.RefreshText(layout.IDFile, []byte(v.ID+"\n")); err != nil {
		return err
	}
	return s.Refresh(layout.SessionFile, v)
}

func (s *Store) saveHistory(moves []record.Move) error {
	if len(moves) == 0 {
		return nil
	}
	var list []record.Move
	if _, _, err := s.ReadJSON(layout.HistoryFile, &list, func() bool { return true }); err != nil {
		return err
	}
	for _, m := range moves {
		if !hasMove(list, m) {
			list = append(list, m)
		}
	}
	return s.WriteJSON(layout.HistoryFile, list[max(0, len(list)-maxHistory):])
}

func hasMove(list []record.Move, m record.Move) bool {
	for _, t := range list {
		at := t.At
		t.At = m.At
		if t == m && at.Equal(m.At) {
			return true
		}
	}
	return false
}
