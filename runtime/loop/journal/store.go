// Package journal is the one writer and the one reader of what a loop keeps in its
// project: the store of its files, its lock, and the log events.jsonl, which is
// appended to and never changed. Who looks at a loop folds the log's records into a
// View, be it from the file or from the running loop itself.
//
// Its types are those of writing (Store, Log, Left), of reading (Record, Tail, View,
// Turn, Report, Run), and two errors.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"ripple/runtime/loop/layout"
)

// Store reads and writes the loop's files. A file is there as it was or as it
// is to be, never in between.
type Store struct {
	dir     string            // absolute: Dir in the project
	written map[string]string // what a file holds since this process wrote it
	check   func()            // before anything is written; may be nil
	held    *flock.Flock      // the lock
}

// NewStore is that of a project. check is called before anything is written, nil for
// nothing.
func NewStore(project string, check func()) *Store {
	return &Store{dir: filepath.Join(project, layout.Dir), check: check}
}

// Path is where a file of the loop is.
func (s *Store) Path(name string) string { return filepath.Join(s.dir, name) }

// Make makes the loop's directory; git does not see one that was not there.
func (s *Store) Make() error {
	_, missing := os.Lstat(s.dir)
	if err := os.MkdirAll(s.Path(layout.LogsDir), 0o755); err != nil || !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	return s.Write(layout.IgnoreFile, []byte(layout.Ignore))
}

// Write replaces a file: a temporary name, synced, renamed.
func (s *Store) Write(name string, data []byte) (err error) {
	if s.check != nil {
		s.check()
	}
	f, err := os.CreateTemp(s.dir, layout.TempMark+"*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.Path(name), err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()           // closed or not: it is of no use
			_ = os.Remove(f.Name()) // swept at the next start otherwise
			err = fmt.Errorf("cannot write %s: %w", s.Path(name), err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.Path(name))
}

// WriteJSON replaces a file by an indented object.
func (s *Store) WriteJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.Path(name), err)
	}
	return s.Write(name, append(data, '\n'))
}

// Refresh replaces a file by an object, unless that is what this process wrote last.
func (s *Store) Refresh(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.Path(name), err)
	}
	return s.RefreshText(name, append(data, '\n'))
}

// RefreshText is Refresh with a text.
func (s *Store) RefreshText(name string, data []byte) error {
	if s.written[name] == string(data) {
		return nil
	}
	if err := s.Write(name, data); err != nil {
		return err
	}
	if s.written == nil {
		s.written = map[string]string{}
	}
	s.written[name] = string(data)
	return nil
}

// ReadJSON fills v and says whether it could. A file that is no JSON, or that
// valid refuses, is put aside under a name that damaged returns.
func (s *Store) ReadJSON(name string, v any, valid func() bool) (found bool, damaged string, err error) {
	data, err := layout.ReadFile(s.Path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "", nil
	case err != nil:
		return false, "", err
	}
	if json.Unmarshal(data, v) == nil && valid() {
		return true, "", nil
	}
	damaged = name + layout.CorruptMark
	return false, damaged, os.Rename(s.Path(name), s.Path(damaged))
}

// ReadText reads a small file of one line; "" when it is not there. Blanks and
// line ends around the text do not belong to it.
func (s *Store) ReadText(name string) (string, error) {
	data, err := layout.ReadFile(s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}

// Remove deletes a file of the loop's own; one that is not there is no error.
func (s *Store) Remove(name string) error {
	delete(s.written, name)
	if err := os.Remove(s.Path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep removes temporary files that a killed loop left.
func (s *Store) Sweep() error {
	left, err := filepath.Glob(filepath.Join(s.dir, layout.TempMark+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Forget forgets what this process wrote: somebody removed it.
func (s *Store) Forget() { s.written = nil }
