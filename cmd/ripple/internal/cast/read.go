package cast

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// header is the first line of an asciicast (https://docs.asciinema.org/manual/asciicast/v3/
// and v2): they differ in where the size is and in what a time is relative to.
type header struct {
	Version       int `json:"version"`
	Width, Height int
	Term          struct{ Cols, Rows int } `json:"term"`
}

// maxLine bounds an event, in bytes.
const maxLine = 16 << 20

// Read converts an asciicast of version 2 or 3. Input events (i), which hold what was typed,
// are ignored. pause is as for New. Errors in the file's content name the line.
func Read(in io.Reader, pause time.Duration) (*Recording, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	if !lines.Scan() {
		return nil, fmt.Errorf("not an asciicast: no first line: %w", cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
	}
	var h header
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.Version != 2 && h.Version != 3 {
		return nil, errors.New("line 1: not the header of an asciicast of version 2 or 3")
	}
	if h.Version == 3 {
		h.Width, h.Height = h.Term.Cols, h.Term.Rows
	}
	r := New(h.Width, h.Height, pause)
	var at time.Duration
	for number := 2; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		took, code, data, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if h.Version == 3 {
			at += took
		} else {
			at = max(at, took)
		}
		switch code {
		case 'o':
			r.Output(at, []byte(data))
		case 'r':
			var cols, rows int
			if _, err := fmt.Sscanf(data, "%dx%d", &cols, &rows); err != nil {
				return nil, fmt.Errorf("line %d: invalid size %q: want COLSxROWS", number, data)
			}
			r.Resize(at, cols, rows)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return r.Finish(at), nil
}

// maxTime is longer than any recording; beyond it a time does not fit a duration.
const maxTime = 1e9

func parse(line []byte) (at time.Duration, code rune, data string, err error) {
	var fields []json.RawMessage
	var name string // one character
	var seconds float64
	if err = json.Unmarshal(line, &fields); err == nil && len(fields) < 3 {
		err = fmt.Errorf("it has %d values", len(fields))
	}
	if err == nil {
		err = errors.Join(json.Unmarshal(fields[0], &seconds), json.Unmarshal(fields[1], &name), json.Unmarshal(fields[2], &data))
	}
	if err == nil && (seconds < 0 || seconds > maxTime) {
		err = fmt.Errorf("SECONDS is %v", seconds)
	}
	if err != nil {
		return 0, 0, "", fmt.Errorf("not an event [SECONDS, CODE, DATA]: %w", err)
	}
	code, _ = utf8.DecodeRuneInString(name)
	return time.Duration(seconds * float64(time.Second)), code, data, nil
}
