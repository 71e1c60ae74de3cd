package console

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// maxRecorded is the number of bytes that are read of a status or an index: a project may bring one of any size.
const maxRecorded = 64 << 20

// openRecorded opens a file in the directory of a record for reading. A home directory that a project brings may have links and pipes
// there, or a link in place of the directory of all records: none is followed or opened.
func openRecorded(path string) (*os.File, error) {
	dir := filepath.Dir(path)
	all := filepath.Dir(dir)
	return projectfile.In(filepath.Dir(all), filepath.Base(all)+"/"+filepath.Base(dir)).Open(filepath.Base(path))
}

// segment is one file of output.
type segment struct {
	path  string
	begin int64
}

// segments returns the segments of a record, in order.
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

// output returns a reader of the bytes from offset from to end of a record. It skips bytes that
// have been dropped and returns their number as skipped.
func output(dir string, from, end int64) (r io.ReadCloser, skipped int64, err error) {
	all, err := segments(dir)
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(all, func(s segment) bool { return from < s.begin+segmentSize })
	if i < 0 || from >= end {
		return io.NopCloser(bytes.NewReader(nil)), 0, nil
	}
	at := min(max(from, all[i].begin), end)
	return &outputReader{rest: all[i:], at: at, end: end}, at - from, nil
}

// outputReader reads a sequence of segments.
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
			f, err := openRecorded(o.rest[0].path)
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
		_ = o.file.Close() // opened for reading only
		o.file, o.rest = nil, o.rest[1:]
	}
}

// Close closes the open segment.
func (o *outputReader) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// recordedEnd returns the offset after the last byte of output of a record.
func recordedEnd(dir string) (end int64, err error) {
	all, err := segments(dir)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	last := all[len(all)-1]
	info, err := os.Lstat(last.path)
	if err != nil {
		return 0, err
	}
	return last.begin + info.Size(), nil
}

// eachCommand calls f for the commands of a record, oldest first, until f returns false. A
// completed command is passed twice: as recorded at its start and at its end.
func eachCommand(dir string, f func(Command) bool) error {
	for _, name := range []string{oldIndex, indexName} {
		file, err := openRecorded(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		more, err := eachLine(io.LimitReader(file, maxRecorded), f)
		_ = file.Close() // opened for reading only
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
			return true, nil // a killed host left an unfinished line
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
