package loop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"ripple/runtime/loop/layout"
)

// store reads and writes the loop's files. A file is there as it was or as it
// is to be, never in between.
type store struct {
	dir     string            // absolute: Dir in the project
	written map[string]string // what a file holds since this process wrote it
	check   func()            // Options.Believable
	held    *flock.Flock      // the lock
}

func (s *store) path(name string) string { return filepath.Join(s.dir, name) }

// make makes the loop's directory; git does not see one that was not there.
func (s *store) make() error {
	_, missing := os.Lstat(s.dir)
	if err := os.MkdirAll(s.path(layout.LogsDir), 0o755); err != nil || !gone(missing) {
		return err
	}
	return s.write(layout.IgnoreFile, []byte(layout.Ignore))
}

// write replaces a file: a temporary name, synced, renamed.
func (s *store) write(name string, data []byte) (err error) {
	if s.check != nil {
		s.check()
	}
	f, err := os.CreateTemp(s.dir, layout.TempMark+"*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path(name), err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()           // closed or not: it is of no use
			_ = os.Remove(f.Name()) // swept at the next start otherwise
			err = fmt.Errorf("cannot write %s: %w", s.path(name), err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path(name))
}

// writeJSON replaces a file by an indented object.
func (s *store) writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path(name), err)
	}
	return s.write(name, append(data, '\n'))
}

// refresh replaces a file by an object, refreshText by a text, unless it was the same when this process
// wrote it last.
func (s *store) refresh(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path(name), err)
	}
	return s.refreshText(name, append(data, '\n'))
}

func (s *store) refreshText(name string, data []byte) error {
	if s.written[name] == string(data) {
		return nil
	}
	if err := s.write(name, data); err != nil {
		return err
	}
	if s.written == nil {
		s.written = map[string]string{}
	}
	s.written[name] = string(data)
	return nil
}

// readJSON fills v and says whether it could. A file that is no JSON, or that
// valid refuses, is put aside under a name that damaged returns.
func (s *store) readJSON(name string, v any, valid func() bool) (found bool, damaged string, err error) {
	data, err := layout.ReadFile(s.path(name))
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
	return false, damaged, os.Rename(s.path(name), s.path(damaged))
}

// readText reads a small file of one line; "" when it is not there. Blanks and
// line ends around the text do not belong to it.
func (s *store) readText(name string) (string, error) {
	data, err := layout.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}

// remove deletes a file of the loop's own; one that is not there is no error.
func (s *store) remove(name string) error {
	delete(s.written, name)
	if err := os.Remove(s.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep removes temporary files that a killed loop left.
func (s *store) sweep() error {
	left, err := filepath.Glob(filepath.Join(s.dir, layout.TempMark+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// journal is an append-only file of JSON lines.
type journal struct {
	f    *os.File
	size int64
	cut  bool // somebody shortened it
}

// openJournal opens a journal for appending. A torn last line, left by a crash
// in mid-write, is cut off.
func openJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &journal{f: f}
	if j.size, err = wholeLines(f); err == nil {
		err = j.truncate(j.size)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("cannot repair %s: %w", path, err)
	}
	return j, nil
}

// append adds lines, each a JSON value that ends with a line feed. When that
// fails the file is as it was before.
func (j *journal) append(lines []byte) error {
	if err := j.refit(); err != nil { // else there would be a hole
		return err
	}
	if _, err := j.f.WriteAt(lines, j.size); err != nil {
		_ = j.f.Truncate(j.size) // else the next opening cuts the torn line off
		return fmt.Errorf("cannot write %s: %w", j.f.Name(), err)
	}
	j.size += int64(len(lines))
	return nil
}

func (j *journal) sync() error { return j.f.Sync() }

func (j *journal) truncate(size int64) error {
	j.size = size
	return j.f.Truncate(size)
}

func (j *journal) close() error { return errors.Join(j.f.Sync(), j.f.Close()) }

// backwards calls visit with each whole line and where it begins, the last
// first, until visit says that it is enough.
func (j *journal) backwards(visit func(line []byte, start int64) (enough bool)) error {
	return eachLineBackwards(j.f, j.size, visit)
}

// maxLine bounds what is held of a file in memory while it is read backwards.
const maxLine = 64 << 20

// eachLineBackwards reads a file in pieces from its end. Lines are without
// their line feed; what follows the last one is a line too.
func eachLineBackwards(f io.ReaderAt, size int64, visit func(line []byte, start int64) bool) error {
	var rest []byte // the beginning of a line whose start is not read yet
	const usual = 64 << 10
	step := int64(usual) // grows within a long line, which would be copied for each piece
	for at := size; at > 0; {
		n := min(at, step)
		piece := make([]byte, n, n+int64(len(rest)))
		if _, err := f.ReadAt(piece, at-n); err != nil {
			return err
		}
		at -= n
		rest = append(piece, rest...)
		if step *= 2; bytes.IndexByte(piece, '\n') >= 0 {
			step = usual
		}
		for {
			i := bytes.LastIndexByte(rest, '\n')
			if i < 0 {
				break
			}
			if line := rest[i+1:]; len(line) > 0 && visit(line, at+int64(i)+1) {
				return nil
			}
			rest = rest[:i]
		}
		if len(rest) > maxLine {
			return fmt.Errorf("a line of more than %d bytes ends before byte %d", maxLine, at+n)
		}
	}
	if len(rest) > 0 {
		visit(rest, 0)
	}
	return nil
}

// wholeLines is where the last whole line of JSON ends: the size of a file
// without what a crash may have torn.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	end := int64(0)
	err = eachLineBackwards(f, size, func(line []byte, start int64) bool {
		whole := start+int64(len(line)) < size && json.Valid(line)
		if whole {
			end = start + int64(len(line)) + 1
		}
		return whole
	})
	return end, err
}
