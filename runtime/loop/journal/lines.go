package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"example.org/ripple/internal/projectfile"
)

// lines is an append-only file of JSON lines.
type lines struct {
	f    *os.File
	at   projectfile.Dir // directory of its name
	name string
	size int64
	cut  bool // the file was truncated by someone else
}

// openLines opens a journal for appending. A torn last line, left by a crash during a write, is
// removed.
func openLines(at projectfile.Dir, name string) (*lines, error) {
	f, err := at.Update(name)
	if err != nil {
		return nil, err
	}
	j := &lines{f: f, at: at, name: name}
	if j.size, err = wholeLines(f); err == nil {
		err = j.truncate(j.size)
	}
	if err != nil {
		_ = f.Close() // no data was written
		return nil, fmt.Errorf("repairing %s: %w", f.Name(), err)
	}
	return j, nil
}

// append adds lines, each a JSON value that ends with a line feed. On failure the file is
// restored.
func (j *lines) append(lines []byte) error {
	if err := j.refit(); err != nil { // otherwise a hole would remain
		return err
	}
	if _, err := j.f.WriteAt(lines, j.size); err != nil {
		_ = j.f.Truncate(j.size) // if this fails, the next openLines removes the torn line
		return fmt.Errorf("writing %s: %w", j.f.Name(), err)
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

// backwards calls visit with each complete line and its offset, last line first, until visit
// returns true.
func (j *lines) backwards(visit func(line []byte, start int64) (enough bool)) error {
	return eachLineBackwards(j.f, j.size, visit)
}

// numberAt returns the number of the line that begins at an offset, from 1.
func (j *lines) numberAt(start int64) (number int, err error) {
	from, block := io.NewSectionReader(j.f, 0, start), make([]byte, 64<<10)
	for number = 1; ; {
		n, err := from.Read(block)
		number += bytes.Count(block[:n], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return number, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// maxLine is the maximum length of a line held in memory.
const maxLine = 64 << 20

var errLongLine = fmt.Errorf("a line is longer than %d MB, the maximum that a loop writes", maxLine>>20)

// eachLineBackwards reads a file in blocks from its end. Lines are passed without their line
// feed; text after the last line feed is a line too.
func eachLineBackwards(f io.ReaderAt, size int64, visit func(line []byte, start int64) bool) error {
	var rest []byte // the tail of a line whose start has not been read
	const usual = 64 << 10
	step := int64(usual) // grows within a long line, which would otherwise be copied for each block
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
			return fmt.Errorf("%w: it ends before byte %d", errLongLine, at+n)
		}
	}
	if len(rest) > 0 {
		visit(rest, 0)
	}
	return nil
}

// wholeLines returns the offset after the last complete JSON line: the size of the file without a
// line torn by a crash.
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

// lost reports whether the file under the journal's name is no longer the open file, or was
// truncated.
func (j *lines) lost() bool {
	open, err := j.f.Stat()
	if err != nil {
		return true
	}
	named, err := j.at.Stat(j.name)
	return err != nil || !os.SameFile(open, named) || j.cut
}

// refit finds the end of a journal that was truncated by someone else.
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
