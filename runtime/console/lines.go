package console

import (
	"bufio"
	"errors"
	"io"
	"regexp"
)

// maxLine is how much of one line is shown, in bytes; the rest of it is counted.
const maxLine = 64 << 10

// Line is a line of a command's output.
type Line struct {
	Number int64  `json:"number"` // counted from 1
	Text   string `json:"text"`   // without its end
	Cut    int64  `json:"cut,omitempty"`
}

// Lines are what a read found.
type Lines struct {
	Command Command `json:"command"`
	Lines   []Line  `json:"lines"`
	Total   int64   `json:"total"`             // lines of the output
	More    bool    `json:"more,omitempty"`    // there are more that were asked for than fit
	Dropped int64   `json:"dropped,omitempty"` // bytes of its beginning that are no longer kept
}

// maxLines and maxText bound one answer.
const (
	maxLines = 10_000
	maxText  = 4 << 20
)

// selectLines takes from a command's output what a request asks for.
func selectLines(r io.Reader, q ReadRequest, total int64, into *Lines) error {
	from := q.From
	if from < 0 {
		from = max(1, total+from+1)
	}
	from = max(1, from)
	var match *regexp.Regexp
	if q.Grep != "" {
		var err error
		if match, err = regexp.Compile(q.Grep); err != nil {
			return fault(FaultRequest, "grep: %v", err)
		}
	}
	in := bufio.NewReaderSize(r, maxLine)
	size, number := 0, int64(0)
	for {
		line, cut, err := boundedLine(in)
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
		into.Lines = append(into.Lines, Line{Number: number, Text: string(line), Cut: cut})
	}
}

// boundedLine reads a line without its end; cut is how many bytes of it are
// passed over. The error is io.EOF when there is no line.
func boundedLine(in *bufio.Reader) (line []byte, cut int64, err error) {
	line, err = in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if n := len(line); n > 0 && line[n-1] == '\n' {
			return line[:n-1], 0, nil
		} else if n > 0 {
			return line, 0, nil
		}
		return nil, 0, err
	}
	line = append([]byte(nil), line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		var rest []byte
		rest, err = in.ReadSlice('\n')
		cut += int64(len(rest))
	}
	if err == nil {
		cut-- // the line's end
	}
	return line, cut, nil
}
