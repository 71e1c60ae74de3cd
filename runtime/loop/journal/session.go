package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
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
	if err == nil {
		v, err = withID(s, v)
	}
	return v, damaged, err
}

// PeekSession reads the same session, and changes no file; a damaged state file has none.
func PeekSession(s *Store) (v record.Session, err error) {
	data, err := layout.Read(s.project, layout.SessionFile)
	if err == nil && json.Unmarshal(data, &v) != nil {
		v = record.Session{}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	return withID(s, v)
}

// withID returns the session with the ID of the id file.
func withID(s *Store, v record.Session) (record.Session, error) {
	id, err := s.ReadText(layout.IDFile)
	if err != nil || id == v.ID {
		return v, err
	}
	if id == "" {
		return record.Session{ResetAt: v.ResetAt, ResetReason: v.ResetReason}, nil
	}
	info, err := s.files.Stat(layout.IDFile)
	if err != nil {
		return v, err
	}
	return record.Session{ID: id, CreatedAt: info.ModTime(), LastUsed: info.ModTime()}, nil
}

// SessionPlace returns the file, and the line in the id file, of a text that is not a session ID.
// The id file takes precedence over the state file; any other text is from the log.
func SessionPlace(s *Store, id string) string {
	data, err := layout.Read(s.project, layout.IDFile)
	if err != nil || strings.TrimSpace(string(data)) != id {
		return s.Path(layout.EventsFile)
	}
	return fmt.Sprintf("%s:%d", s.Path(layout.IDFile), 1+badLine(string(data)))
}

// badLine returns the index of the first line that is not a session ID, or that follows one.
func badLine(text string) int {
	found := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && (found || !event.IsSessionID(line)) {
			return i
		}
		found = found || line != ""
	}
	return 0
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
