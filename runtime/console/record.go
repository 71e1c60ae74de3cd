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

	"example.org/ripple/runtime/console/place"
)

const (
	segmentSize = 8 << 20   // bytes of output in one file
	keptOutput  = 512 << 20 // maximum number of output bytes kept
	keptIndex   = 2 << 20   // bytes of the index in one file; two files are kept
	keptMemory  = 4 << 20   // bytes of output kept in memory while they cannot be written
	outputName  = "output-"
	indexName   = "commands.jsonl"
	oldIndex    = "commands.old.jsonl"
	statusName  = "console.json"
)

// record is the on-disk record of a console's commands: an output log in segments, of which the
// oldest are dropped, and an index of the commands. It survives any end of its host. Its methods
// may be called from several goroutines.
type record struct {
	dir     string // which the claim of the console's name locks
	removed int    // commands of a killed host that were removed

	mu    sync.Mutex
	end   int64    // offset after the last written byte of output
	kept  int64    // offset of the first byte still kept
	file  *os.File // the segment being written
	held  []byte   // output after end, which could not be written because the disk is full
	err   error    // the write error
	index *os.File
	sized int64 // bytes in index
}

// openRecord creates an empty record in an existing directory; files of a killed host are removed.
func openRecord(dir string) (*record, error) {
	former := map[int]bool{}
	_ = eachCommand(dir, func(c Command) bool { former[c.ID] = true; return true }) // those that cannot be read are not counted
	index, err := resetDir(dir)
	if err != nil {
		return nil, err
	}
	return &record{dir: dir, index: index, removed: len(former)}, nil
}

// resetDir removes the files of a record and creates its index.
func resetDir(dir string) (index *os.File, err error) {
	if err := (place.Files{Record: dir}).Clear(); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, indexName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

func segmentName(offset int64) string { return fmt.Sprintf("%s%020d", outputName, offset) }

// append appends output and returns how much of it is kept. Bytes that cannot be written are held
// in memory, within bounds, until they can be; why is the reason if some are not kept.
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

// writeHeld tries to write the bytes that are held in memory.
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
		if err := r.nextSegment(); err != nil {
			return 0, err
		}
	}
	n, err := r.file.Write(b[:min(int64(len(b)), segmentSize-r.end%segmentSize)])
	r.end += int64(n)
	return n, err
}

// nextSegment starts a segment and drops the oldest one beyond the retention limit.
func (r *record) nextSegment() error {
	file, err := os.OpenFile(filepath.Join(r.dir, segmentName(r.end)), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if r.file != nil {
		_ = r.file.Close() // its contents are written
	}
	r.file = file
	if r.end-r.kept >= keptOutput {
		err = os.Remove(filepath.Join(r.dir, segmentName(r.kept)))
		r.kept += segmentSize - r.kept%segmentSize // after renew the first one is shorter
	}
	return err
}

// offset returns the offset after the last byte of output. It retries writing held bytes; err is
// the reason why some are still held.
func (r *record) offset() (end int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.writeHeld()
	return r.end + int64(len(r.held)), err
}

// output is like the function output, and includes held bytes.
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

// command records the state of a command: at its start and at its end.
func (r *record) command(c Command) {
	line, err := json.Marshal(c)
	if err != nil {
		return // marshaling a Command cannot fail
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index != nil && r.sized > keptIndex {
		_ = r.index.Close()
		_ = os.Rename(filepath.Join(r.dir, indexName), filepath.Join(r.dir, oldIndex))
		r.index, r.sized = nil, 0
	}
	if r.index == nil {
		r.index, err = os.OpenFile(filepath.Join(r.dir, indexName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return // the host remembers the command, and the next one tries again
		}
		if info, err := r.index.Stat(); err == nil { // not empty if it could not be renamed
			r.sized = info.Size()
		}
	}
	if _, err := r.index.Write(append(line, '\n')); err != nil {
		_ = r.index.Truncate(r.sized) // half a line would corrupt the next one
		return
	}
	r.sized += int64(len(line) + 1)
}

// writeStatus writes the status file for clients that cannot ask the host. If it fails, the
// previous file stays.
func writeStatus(dir string, s Status) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, statusName)
	_ = os.Remove(path + ".new") // whatever it is: the record may be one that a project brings
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// renew continues the record in its directory, which was removed and made again. The earlier output is lost.
func (r *record) renew() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	index, err := resetDir(r.dir)
	if err != nil {
		return err
	}
	if r.index != nil {
		_ = r.index.Close()
	}
	r.index, r.sized, r.kept = index, 0, r.end
	return r.nextSegment()
}

func (r *record) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = r.file.Close()
	}
	_ = r.index.Close()
}

// remove closes and removes the record.
func (r *record) remove() {
	r.close()
	_ = (place.Files{Record: r.dir}).Remove() // the next console of the name removes the rest
}
