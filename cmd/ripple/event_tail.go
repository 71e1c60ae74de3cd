package main

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
}

// maxStep bounds what is read at once; what is left comes with the next tick.
const maxStep = 16 << 20

func (t *eventTail) lines() ([][]byte, error) {
	f, err := os.Open(t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	if info, err := f.Stat(); err == nil && info.Size() < t.at {
		t.at, t.rest = 0, nil // cut off by a resumed run
	}
	if _, err := f.Seek(t.at, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxStep))
	t.at += int64(len(data))
	t.rest = append(t.rest, data...)
	end := bytes.LastIndexByte(t.rest, '\n')
	if end < 0 {
		return nil, err
	}
	lines := bytes.Split(t.rest[:end], []byte("\n"))
	t.rest = bytes.Clone(t.rest[end+1:])
	return lines, err
}
