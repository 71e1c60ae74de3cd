package console

import (
	"bufio"
	"errors"
	"io"
	"regexp"
)

// maxLine is how much of a line is shown, in bytes; the rest is counted.
const maxLine = 64 << 10

// Line is a line of a command's output.
type Line struct {
	Number int64  `json:"number"`        // counted from 1
	Text   string `json:"text"`          // without its line end
	Cut    int64  `json:"cut,omitempty"` // bytes of it after Text
	At     int64  `json:"at,omitempty"`  // offset in the line at which Text begins, in bytes
}

// Lines is the result of a read.
type Lines struct {
	Command Command `json:"command"`
	Lines   []Line  `json:"lines"`
	Total   int64   `json:"total"`             // number of lines of the output
	More    bool    `json:"more,omitempty"`    // more of the requested lines exist than fit
	Dropped int64   `json:"dropped,omitempty"` // bytes at the beginning that are no longer kept
}

// maxLines and maxText bound one answer.
const (
	maxLines = 10_000
	maxText  = 4 << 20
)

// selectLines selects the requested lines of a command's output. first is the number of the first
// line in r; total is the number of lines of the output.
func selectLines(r io.Reader, q ReadRequest, first, total int64, into *Lines) error {
	from := q.From
	if from < 0 {
		from = max(1, total+from+1)
	}
	from = max(1, from)
	var match *regexp.Regexp
	if q.Grep != "" {
		var err error
		if match, err = regexp.Compile(q.Grep); err != nil {
			return newFault(FaultBadRequest, "grep: %v", err)
		}
	}
	in := bufio.NewReaderSize(r, maxLine)
	size, number := 0, first-1
	for {
		line, cut, err := boundedLine(in, q.Column)
		if errors.Is(err, io.EOF) {
			into.Total = number
			return nil
		}
		if err != nil {
			return err
		}
		number++
		if number < from || match != nil && !match.Match(line) || q.Lines > 0 && int64(len(into.Lines)) >= q.Lines {
			continue // all are counted
		}
		if len(into.Lines) >= maxLines || size+len(line) > maxText {
			into.More = true
			continue
		}
		size += len(line)
		into.Lines = append(into.Lines, Line{Number: number, Text: string(line), Cut: cut, At: q.Column})
	}
}

// boundedLine reads a line without its line end, starting at byte from; cut is the number of bytes
// skipped at its end. The error is io.EOF if there is no line.
func boundedLine(in *bufio.Reader, from int64) (line []byte, cut int64, err error) {
	for some := false; ; some = true {
		part, err := in.ReadSlice('\n')
		ended := err == nil
		if len(part) == 0 && err != nil && !some {
			return nil, 0, err
		}
		if ended {
			part = part[:len(part)-1]
		}
		passed := min(from, int64(len(part)))
		from -= passed
		part = part[passed:]
		kept := min(len(part), maxLine-len(line))
		cut += int64(len(part) - kept)
		if ended && !some {
			return part[:kept], cut, nil // the common case: nothing is copied
		}
		line = append(line, part[:kept]...)
		switch {
		case ended, errors.Is(err, io.EOF):
			return line, cut, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, cut, err
		}
	}
}
