package loopcmd

import (
	"bytes"
	"io"
	"os"
)

// eventTail reads a growing file from where it was left, whole lines at a time.
type eventTail struct {
	path string
	at   int64
	rest []byte
	mark []byte // what stood before at
}

// markSize is enough to tell one place of a file of events from another: each
// line has its time.
const markSize = 256

// maxStep bounds what is read at once; what is left comes with the next tick.
const maxStep = 16 << 20

func (t *eventTail) lines() ([][]byte, error) {
	f, err := os.Open(t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	if !t.same(f) {
		t.at, t.rest, t.mark = 0, nil, nil // cut off by a resumed run
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
	if end < 0 {
		return nil, err
	}
	lines := bytes.Split(t.rest[:end], []byte("\n"))
	t.rest = bytes.Clone(t.rest[end+1:])
	return lines, err
}

// same says whether what was read last is still there: a run that goes on cuts off
// the turn that was not finished, and may have written more since.
func (t *eventTail) same(f io.ReaderAt) bool {
	before := make([]byte, len(t.mark))
	_, err := f.ReadAt(before, t.at-int64(len(t.mark)))
	return err == nil && bytes.Equal(before, t.mark)
}
