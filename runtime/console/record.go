package console

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	segmentSize = 8 << 20   // bytes of output in one file
	keptOutput  = 512 << 20 // bytes of output that are kept at most
	keptIndex   = 2 << 20   // bytes of the index in one file; two are kept
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
	dir string

	mu    sync.Mutex
	end   int64    // offset behind the last byte of output
	kept  int64    // offset of the first one that is still there
	file  *os.File // the segment that is written
	index *os.File
	sized int64 // bytes in index
	err   error // of the last write: the disk is full
	lost  int64 // bytes that could not be written
}

// openRecord makes an empty one.
func openRecord(dir string) (*record, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	index, err := os.OpenFile(filepath.Join(dir, indexName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &record{dir: dir, index: index}, nil
}

func segmentName(offset int64) string { return fmt.Sprintf("%s%020d", outputName, offset) }

// Write appends output. It never fails: what cannot be written is counted as
// output that has been dropped.
func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for rest := b; len(rest) > 0; {
		n, err := r.write(rest)
		rest = rest[n:]
		if r.err = err; err != nil {
			r.lost += int64(len(rest))
			break
		}
	}
	return len(b), nil
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

// offset is the one behind the last byte of output; err says why the last write
// failed.
func (r *record) offset() (end int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end, r.err
}

// command notes that a command ended.
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
			r.err = err
			return
		}
	}
	n, err := r.index.Write(append(line, '\n'))
	r.sized += int64(n)
	if err != nil {
		r.err = err
	}
}

// status writes what the console is, for those who find it without its host.
func (r *record) status(s Status) {
	b, err := json.Marshal(s)
	if err != nil {
		return // nothing in it can fail
	}
	path := filepath.Join(r.dir, statusName)
	if os.WriteFile(path+".new", b, 0o600) == nil {
		_ = os.Rename(path+".new", path) // the one from before stays
	}
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
}

// segment is one file of output.
type segment struct {
	path  string
	begin int64
}

// segments are those of a record, in order.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []segment
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), outputName)
		if !ok {
			continue
		}
		if begin, err := strconv.ParseInt(digits, 10, 64); err == nil {
			found = append(found, segment{filepath.Join(dir, e.Name()), begin})
		}
	}
	return found, nil
}

// output reads bytes from to end of a record, of which it skips what has been
// dropped; skipped says how much that is.
func output(dir string, from, end int64) (r io.ReadCloser, skipped int64, err error) {
	all, err := segments(dir)
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(all, func(s segment) bool { return from < s.begin+segmentSize })
	if i < 0 || from >= end {
		return io.NopCloser(bytes.NewReader(nil)), 0, nil
	}
	at := max(from, all[i].begin)
	return &outputReader{rest: all[i:], at: at, end: end}, at - from, nil
}

// outputReader reads through segments.
type outputReader struct {
	rest    []segment
	at, end int64
	file    *os.File
}

func (o *outputReader) Read(b []byte) (int, error) {
	for {
		if o.at >= o.end {
			return 0, io.EOF
		}
		if o.file == nil {
			if len(o.rest) == 0 {
				return 0, io.EOF
			}
			f, err := os.Open(o.rest[0].path)
			if err != nil {
				return 0, err
			}
			if _, err := f.Seek(o.at-o.rest[0].begin, io.SeekStart); err != nil {
				return 0, errors.Join(err, f.Close())
			}
			o.file = f
		}
		n, err := o.file.Read(b[:min(int64(len(b)), o.end-o.at)])
		o.at += int64(n)
		if n > 0 || len(b) == 0 {
			return n, nil
		}
		if !errors.Is(err, io.EOF) {
			return 0, err
		}
		_ = o.file.Close() // it was only read
		o.file, o.rest = nil, o.rest[1:]
	}
}

// Close closes the segment that is open.
func (o *outputReader) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// eachCommand calls f for the commands of a record, the oldest first, until it
// returns false.
func eachCommand(dir string, f func(Command) bool) error {
	for _, name := range []string{oldIndex, indexName} {
		file, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		more, err := eachLine(file, f)
		_ = file.Close() // it was only read
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func eachLine(r io.Reader, f func(Command) bool) (more bool, err error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return true, nil // an unfinished line is one that a killed host left
		}
		if err != nil {
			return false, err
		}
		var c Command
		if json.Unmarshal(line, &c) == nil && !f(c) {
			return false, nil
		}
	}
}
