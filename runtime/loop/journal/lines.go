package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// lines is an append-only file of JSON lines.
type lines struct {
	f    *os.File
	size int64
	cut  bool // somebody shortened it
}

// openLines opens a journal for appending. A torn last line, left by a crash
// in mid-write, is cut off.
func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &lines{f: f}
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
func (j *lines) append(lines []byte) error {
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

func (j *lines) sync() error { return j.f.Sync() }

func (j *lines) truncate(size int64) error {
	j.size = size
	return j.f.Truncate(size)
}

func (j *lines) close() error { return errors.Join(j.f.Sync(), j.f.Close()) }

// backwards calls visit with each whole line and where it begins, the last
// first, until visit says that it is enough.
func (j *lines) backwards(visit func(line []byte, start int64) (enough bool)) error {
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

// lost says whether what the journal writes to is no longer what its name leads to,
// or not all of it.
func (j *lines) lost() bool {
	open, err := j.f.Stat()
	if err != nil {
		return true
	}
	named, err := os.Stat(j.f.Name())
	return err != nil || !os.SameFile(open, named) || j.cut
}

// refit finds the end of a journal that somebody shortened.
func (j *lines) refit() error {
	info, err := j.f.Stat()
	if err != nil || info.Size() >= j.size {
		return err
	}
	j.cut = true
	size, err := wholeLines(j.f)
	if err != nil {
		return fmt.Errorf("%s was shortened while the loop ran: %w", j.f.Name(), err)
	}
	return j.truncate(size)
}
