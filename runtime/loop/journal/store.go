// Package journal is the only writer and the only reader of a loop's files in its project: the
// store of its files, its lock, and the log events.jsonl, which is only appended to. Observers of
// a loop reduce the log's records, read from the file or received from the running loop, to a
// View.
//
// Its types are for writing (Store, Log, Left) and for reading (Record, Tail, View, Turn, Report,
// Run), with two error types.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/gofrs/flock"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
)

// Store reads and writes the loop's files. Each write is atomic: a file has either its old or its
// new content.
type Store struct {
	project string
	files   projectfile.Dir   // Dir in the project
	written map[string]string // content of files as last written by this process
	check   func()            // called before each write; may be nil
	held    *flock.Flock      // the lock

	answerToken string // see record.Holder.Answerers
}

// NewStore returns the store of a project. check is called before each write; it may be nil.
func NewStore(project string, check func()) *Store {
	return &Store{project: project, files: layout.Files(project), check: check}
}

// Path returns the path of a loop file.
func (s *Store) Path(name string) string { return s.files.Path(name) }

// Files are files of a directory by their names. Its methods follow no symbolic link out of the project.
type Files = projectfile.Dir

// Files returns the loop's files by their names.
func (s *Store) Files() Files { return s.files }

// Make creates the loop's directory; git ignores a directory that Make created.
func (s *Store) Make() error {
	known := s.files.Exists("")
	if err := s.files.Mkdir(layout.LogsDir, 0o777); err != nil || known {
		return err
	}
	return s.Write(layout.IgnoreFile, []byte(layout.Ignore))
}

// Write replaces a file: it writes a temporary file, syncs and renames it.
func (s *Store) Write(name string, data []byte) error {
	if s.check != nil {
		s.check()
	}
	if err := s.files.Write(name, layout.TempMark, data); err != nil { // removed at the next start if the process is killed
		return fmt.Errorf("writing %s: %w", s.Path(name), err)
	}
	return nil
}

// WriteJSON replaces a file by an indented object.
func (s *Store) WriteJSON(name string, v any) error {
	return s.withJSON(name, v, s.Write)
}

// Refresh replaces a file by an object, unless this process last wrote the same content.
func (s *Store) Refresh(name string, v any) error {
	return s.withJSON(name, v, s.RefreshText)
}

func (s *Store) withJSON(name string, v any, write func(name string, data []byte) error) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", s.Path(name), err)
	}
	return write(name, append(data, '\n'))
}

// RefreshText is like Refresh, for text.
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

// ReadJSON reads a file into v and reports success. A file that is not JSON, or that valid
// rejects, is renamed; damaged is its new name.
func (s *Store) ReadJSON(name string, v any, valid func() bool) (found bool, damaged string, err error) {
	data, err := layout.Read(s.project, name)
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
	return false, damaged, s.files.Rename(name, damaged)
}

// ReadText reads a small file of one line; "" if it does not exist. Surrounding white space is
// removed.
func (s *Store) ReadText(name string) (string, error) {
	data, err := layout.Read(s.project, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}

// Remove deletes a loop file; a missing file is not an error.
func (s *Store) Remove(name string) error {
	delete(s.written, name)
	if err := s.files.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep removes temporary files left by a killed loop.
func (s *Store) Sweep() (err error) {
	for _, name := range s.files.Names("") {
		if strings.HasPrefix(name, layout.TempMark) {
			err = errors.Join(err, s.Remove(name))
		}
	}
	return err
}

// Forget discards the record of what this process wrote, after the files were removed.
func (s *Store) Forget() { s.written = nil }
