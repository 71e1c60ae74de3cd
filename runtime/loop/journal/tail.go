package journal

import (
	"bytes"
	"fmt"
	"io"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
)

// Tail reads new records of a loop, whole lines at a time, while the loop writes them.
type Tail struct {
	files projectfile.Dir
	at    int64
	rest  []byte
	mark  []byte // the bytes before at
}

// markSize is long enough to identify a position in an event file: each line has its time.
const markSize = 256

// maxStep limits a single read; the rest follows with the next call.
const maxStep = 16 << 20

// NewTail returns a Tail of a project's log, from its beginning.
func NewTail(project string) *Tail {
	return &Tail{files: layout.Files(project)}
}

// Records returns the new records, at most 16 MB of them. Lines that a loop did not write are
// skipped. If the text read last no longer exists, it starts again with the first record.
func (t *Tail) Records() (list []Record, err error) {
	lines, err := t.lines()
	for _, line := range lines {
		if r, err := Parse(line); err == nil {
			list = append(list, r)
		}
	}
	return list, err
}

func (t *Tail) lines() ([][]byte, error) {
	f, err := t.files.Open(layout.EventsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading only
	if !t.same(f) {
		t.at, t.rest, t.mark = 0, nil, nil // the file was removed and written again
	}
	if _, err := f.Seek(t.at, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxStep))
	t.at += int64(len(data))
	t.rest = append(t.rest, data...)
	t.mark = append(t.mark, data...)
	t.mark = bytes.Clone(t.mark[max(0, len(t.mark)-markSize):])
	end := bytes.LastIndexByte(t.rest, '\n')
	if end < 0 && len(t.rest) > maxLine {
		return nil, fmt.Errorf("%s: %w", f.Name(), errLongLine)
	}
	if end < 0 {
		return nil, err
	}
	lines := bytes.Split(t.rest[:end], []byte("\n"))
	t.rest = bytes.Clone(t.rest[end+1:])
	return lines, err
}

// same reports whether the text read last still exists: an agent may remove or replace the file.
func (t *Tail) same(f io.ReaderAt) bool {
	before := make([]byte, len(t.mark))
	_, err := f.ReadAt(before, t.at-int64(len(t.mark)))
	return err == nil && bytes.Equal(before, t.mark)
}
