package trust

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"example.org/ripple/internal/dirid"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
)

// Store keeps records in a directory of the user: one file for each project. A record counts only in the directory in which it was
// written: HOME may be, or be in, a project that brings records.
type Store struct{ dir string }

// StoreOf returns the store of a user: ripple/trust below $XDG_STATE_HOME, else below
// ~/.local/state.
func StoreOf(getenv func(string) string) (*Store, error) {
	base := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // relative paths are ignored (XDG Base Directory 0.8)
		home, err := owner.Home(getenv)
		if err != nil {
			return nil, fmt.Errorf("no directory for what you trust: %w; set HOME or XDG_STATE_HOME to an absolute path", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	return &Store{filepath.Join(base, "ripple", "trust")}, nil
}

func (s *Store) file(project string) string {
	return filepath.Join(s.dir, Sum([]byte(project))[:32]+".json")
}

// maxRecord is the maximum size of a record that is read.
const maxRecord = 64 << 20

// Load returns the record of a project; it is empty if there is none, or if it was copied, which Record.Ignored then says.
func (s *Store) Load(project string) (Record, error) {
	r, err := s.read(s.file(project))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Record{Project: project}, nil
	case errors.Is(err, errCopied):
		return Record{Project: project, Ignored: s.file(project)}, nil
	}
	if err == nil && r.Project != project {
		err = errors.New("it belongs to another project")
	}
	if err != nil {
		return Record{Project: project}, fmt.Errorf("reading the record of approvals, %s: %w; remove it and approve again", s.file(project), err)
	}
	return r, nil
}

// stored is the contents of a record's file. JSON cannot represent paths that are not UTF-8.
type stored struct {
	Record
	Place string         `json:"place"` // the result of birth for the directory
	Bytes []byte         `json:"project_bytes,omitempty"`
	Paths map[int][]byte `json:"path_bytes,omitempty"` // of such items, by their index
}

var errCopied = errors.New("it was written in another directory and copied")

func (s *Store) read(path string) (r Record, err error) {
	f, err := projectfile.In(filepath.Dir(path), ".").Open(filepath.Base(path))
	if refused, is := errors.AsType[*projectfile.RefusedError](err); is {
		return r, errors.New("it " + refused.Why)
	}
	if err != nil {
		return r, err
	}
	defer f.Close() // opened for reading only
	if info, err := f.Stat(); err != nil || !private(info) {
		return r, cmp.Or(err, errors.New("it is not a file that you alone can write"))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRecord))
	var of stored
	if err == nil {
		err = json.Unmarshal(data, &of)
	}
	if of.Bytes != nil {
		of.Project = string(of.Bytes)
	}
	place, placeErr := dirid.Of(s.dir)
	switch {
	case err != nil || placeErr != nil:
		return r, cmp.Or(err, placeErr)
	case of.Place != place:
		return r, errCopied
	}
	for i := range of.Items {
		if path, is := of.Paths[i]; is {
			of.Items[i].Path = string(path)
		}
	}
	return of.Record, nil
}

// Save writes a record atomically; only the user can read it. Root writes none in another user's directory, as with
// sudo -E: that user could no longer read or write records.
func (s *Store) Save(r Record) error {
	if err := s.ours(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	place, err := dirid.Of(s.dir)
	if err != nil {
		return err
	}
	of := stored{Record: r, Place: place, Paths: map[int][]byte{}}
	if !utf8.ValidString(r.Project) {
		of.Bytes = []byte(r.Project)
	}
	for i, item := range r.Items {
		if !utf8.ValidString(item.Path) {
			of.Paths[i] = []byte(item.Path)
		}
	}
	data, err := json.MarshalIndent(of, "", " ")
	if err != nil {
		return err
	}
	return projectfile.Replace(s.file(r.Project), append(data, '\n'), 0o600)
}

func (s *Store) ours() error {
	if !owner.Ours(s.dir) {
		return fmt.Errorf("you cannot write to %s: set XDG_STATE_HOME to a directory of your own", s.dir)
	}
	return nil
}

// Remove forgets a project, and reports whether it was known. Root removes none of another user's records.
func (s *Store) Remove(project string) (bool, error) {
	if _, err := os.Lstat(s.file(project)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := s.ours(); err != nil {
		return false, err
	}
	err := os.Remove(s.file(project))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// All returns the records of all projects by their directories. A record that cannot be read is
// left out: its project is not trusted.
func (s *Store) All() ([]Record, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Record
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		if r, err := s.read(filepath.Join(s.dir, e.Name())); err == nil && s.file(r.Project) == filepath.Join(s.dir, e.Name()) {
			all = append(all, r)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Project < all[j].Project })
	return all, nil
}
