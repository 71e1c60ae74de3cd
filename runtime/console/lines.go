package console

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
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
	// Missing is a message if a part of what was requested is missing, because it is no longer kept or
	// could not be stored.
	Missing string `json:"missing,omitempty"`

	size int // bytes in Lines
}

// maxLines and maxText bound one answer.
const (
	maxLines = 10_000
	maxText  = 4 << 20
)

// add adds a line, unless the answer is full.
func (l *Lines) add(line Line) error {
	if l.More = l.More || len(l.Lines) >= maxLines || l.size+len(line.Text) > maxText; !l.More {
		l.size += len(line.Text)
		l.Lines = append(l.Lines, line)
	}
	return nil
}

// missing returns the message of Lines.Missing. first is the number of the first line that is kept,
// from that of the first requested line, and last that of the last line found; complete reports
// whether the request includes all lines after from.
func (l *Lines) missing(first, from, last int64, complete bool) string {
	c := &l.Command
	var all []string
	switch {
	case l.Dropped > 0 && l.Dropped >= c.Bytes:
		all = append(all, fmt.Sprintf("the output of command %d, %d bytes, is no longer kept", c.ID, c.Bytes))
	case l.Dropped > 0 && from < first:
		all = append(all, fmt.Sprintf("the first %d bytes of its output are no longer kept", l.Dropped))
	}
	if c.Lost > 0 && (complete || last >= c.LostFrom) {
		all = append(all, fmt.Sprintf("%d bytes of its output were lost: %s", c.Lost, c.LostReason))
	}
	return strings.Join(all, "; ")
}

// selection is what was found by a request for lines.
type selection struct {
	total int64 // number of lines, requested or not
	from  int64 // number of the first requested line
	last  int64 // number of the last line found
	found int64
}

// selectLines calls take for the requested lines of a command's output. first is the number of the
// first line in r; total is the number of lines of the output.
func selectLines(r io.Reader, q ReadRequest, first, total int64, take func(Line) error) (s selection, err error) {
	s.from = q.From
	if s.from < 0 {
		s.from = total + s.from + 1
	}
	s.from = max(1, s.from)
	var match *regexp.Regexp
	if q.Grep != "" {
		if match, err = regexp.Compile(q.Grep); err != nil {
			return s, newFault(FaultBadRequest, "grep: %v", err)
		}
	}
	in := bufio.NewReaderSize(r, maxLine)
	s.total = first - 1
	for {
		line, cut, err := boundedLine(in, q.Column)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		s.total++
		if s.total < s.from || match != nil && !match.Match(line) || q.Lines > 0 && s.found >= q.Lines {
			continue // all are counted
		}
		s.found, s.last = s.found+1, s.total
		if err := take(Line{Number: s.total, Text: string(line), Cut: cut, At: q.Column}); err != nil {
			return s, err
		}
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
