package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"ripple/runtime/console/place"
)

const (
	segmentSize = 8 << 20   // bytes of output in one file
	keptOutput  = 512 << 20 // bytes of output that are kept at most
	keptIndex   = 2 << 20   // bytes of the index in one file; two are kept
	keptMemory  = 4 << 20   // bytes of output that are kept in memory when they cannot be written
	outputName  = "output-"
	indexName   = "commands.jsonl"
	oldIndex    = "commands.old.jsonl"
	statusName  = "console.json"
)

// record is what a console's commands printed, on disk: a log of output in
// segments, of which the oldest are dropped, and an index of the commands. It
// outlives its host, however that ends. Its methods may be called from several
// goroutines.
type record struct {
	dir  string
	life *flock.Flock // of the directory, held as long as the host lives

	mu    sync.Mutex
	end   int64    // offset behind the last byte of output that is written
	kept  int64    // offset of the first one that is still there
	file  *os.File // the segment that is written
	held  []byte   // output behind end: the disk is full
	err   error    // why
	index *os.File
	sized int64 // bytes in index
}

// openRecord makes an empty one; what a killed host left there is removed.
//
// Errors: place.ErrTaken when a host lives that has it: one whose socket is elsewhere.
func openRecord(dir string) (*record, error) {
	life, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	index, err := emptied(dir)
	if err != nil {
		return nil, errors.Join(err, life.Close())
	}
	return &record{dir: dir, life: life, index: index}, nil
}

// lockDir makes a directory, if it is missing, and locks it.
func lockDir(dir string) (*flock.Flock, error) {
	for {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := place.Private(filepath.Dir(dir), "XDG_STATE_HOME"); err != nil {
			return nil, err
		}
		lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
		got, err := lock.TryLock()
		switch {
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("locking the directory of results: %w", err)
		case err == nil && !got:
			_ = lock.Close() // nothing is locked
			return nil, place.ErrTaken
		case err == nil && place.IsUnder(lock, dir):
			return lock, nil
		}
		_ = lock.Close() // the one before removed the directory between our opening and locking it
	}
}

// emptied removes what is in a record and begins its index.
func emptied(dir string) (index *os.File, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(filepath.Join(dir, indexName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

func segmentName(offset int64) string { return fmt.Sprintf("%s%020d", outputName, offset) }

// append appends output and returns how much of it is kept. What cannot be written is
// held in memory until it can be, within bounds; why says why something is not kept.
func (r *record) append(b []byte) (kept int, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	written := 0
	if r.writeHeld() == nil {
		written, r.err = r.writeAll(b)
	}
	room := min(len(b)-written, keptMemory-len(r.held))
	r.held = append(r.held, b[written:written+room]...)
	if kept = written + room; kept < len(b) {
		return kept, r.err
	}
	return kept, nil
}

// writeHeld writes what is held in memory, if it can be written now.
func (r *record) writeHeld() error {
	if len(r.held) == 0 {
		return nil
	}
	n, err := r.writeAll(r.held)
	if r.held, r.err = r.held[n:], err; len(r.held) == 0 {
		r.held = nil
	}
	return err
}

func (r *record) writeAll(b []byte) (written int, err error) {
	for written < len(b) && err == nil {
		var n int
		n, err = r.write(b[written:])
		written += n
	}
	return written, err
}

// write writes as much as fits the segment.
func (r *record) write(b []byte) (int, error) {
	if r.end%segmentSize == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n, err := r.file.Write(b[:min(int64(len(b)), segmentSize-r.end%segmentSize)])
	r.end += int64(n)
	return n, err
}

// next begins a segment and drops the oldest one beyond what is kept.
func (r *record) next() error {
	file, err := os.OpenFile(filepath.Join(r.dir, segmentName(r.end)), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if r.file != nil {
		_ = r.file.Close() // what it has is written
	}
	r.file = file
	if r.end-r.kept >= keptOutput {
		err = os.Remove(filepath.Join(r.dir, segmentName(r.kept)))
		r.kept += segmentSize
	}
	return err
}

// offset is the one behind the last byte of output. What is held of it is tried to be
// written again; err says why it is held still.
func (r *record) offset() (end int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.writeHeld()
	return r.end + int64(len(r.held)), err
}

// output reads bytes from to end, as the function output does, and those that are held.
func (r *record) output(from, end int64) (in io.ReadCloser, skipped int64, err error) {
	r.mu.Lock()
	written := r.end
	var held []byte
	if end > written {
		held = slices.Clone(r.held[max(0, from-written):min(end-written, int64(len(r.held)))])
	}
	r.mu.Unlock()
	in, skipped, err = output(r.dir, from, min(end, written))
	if err != nil || held == nil {
		return in, skipped, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(in, bytes.NewReader(held)), in}, skipped, nil
}

// command notes what a command is: at its beginning, and at its end.
func (r *record) command(c Command) {
	line, err := json.Marshal(c)
	if err != nil {
		return // nothing in it can fail
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sized > keptIndex {
		_ = r.index.Close()
		_ = os.Rename(filepath.Join(r.dir, indexName), filepath.Join(r.dir, oldIndex))
		r.index, err = os.OpenFile(filepath.Join(r.dir, indexName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		r.sized = 0
		if err != nil {
			return // the host remembers it
		}
	}
	if _, err := r.index.Write(append(line, '\n')); err != nil {
		_ = r.index.Truncate(r.sized) // half a line would spoil the next one
		return
	}
	r.sized += int64(len(line) + 1)
}

// writeStatus writes what a console is, for those who find it without its host. When it
// fails, the one from before stays.
func writeStatus(dir string, s Status) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, statusName)
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (r *record) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = r.file.Close()
	}
	_ = r.index.Close()
}

// remove closes the record and removes it.
func (r *record) remove() {
	r.close()
	_ = os.RemoveAll(r.dir) // what cannot be removed now the next console of the name removes
	_ = r.life.Close()
}
