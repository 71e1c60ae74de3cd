package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// Record is a line of events.jsonl: one of the loop's own, or an event of the agent.
type Record struct {
	record.Line
	Event *event.Event // nil: the line is the loop's own
}

// own are the types of the loop's own lines.
var own = map[string]bool{
	record.RunStarted: true, record.TurnStarted: true, record.TurnEnded: true, record.TurnCut: true, record.Verified: true, record.Committed: true,
	record.CommitRefused: true, record.Reset: true, record.Stopped: true, record.WrittenBack: true, record.SettingsChanged: true,
	record.Asked: true, record.Answered: true, record.Decided: true, record.Guided: true, record.LeftOut: true, record.BoxDenied: true,
}

// talking lists the types of lines that have a question.
var talking = []string{record.Asked, record.Answered, record.Decided}

// Parse reads a line. It returns an error for a line that no loop can have written.
func Parse(line []byte) (r Record, err error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return r, err
	}
	if head.Type == "" {
		return r, errors.New("it has no type")
	}
	if own[head.Type] {
		err := json.Unmarshal(line, &r.Line)
		lacks := r.Type == record.Guided && r.Guide == nil || r.Question == nil && slices.Contains(talking, r.Type)
		if err == nil && lacks {
			err = errors.New("its question or message is missing")
		}
		return r, err
	}
	var at struct {
		Turn int       `json:"turn"`
		Seq  int64     `json:"seq"`
		Time time.Time `json:"time"`
	}
	r.Event = &event.Event{}
	if err := errors.Join(json.Unmarshal(line, &at), json.Unmarshal(line, r.Event)); err != nil {
		return r, err
	}
	r.Turn, r.Seq, r.Time, r.Type = at.Turn, at.Seq, at.Time, head.Type
	return r, nil
}

// readLine reads a line with its line feed, of at most maxLine bytes.
func readLine(from *bufio.Reader) (line []byte, err error) {
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
		var piece []byte
		piece, err = from.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxLine {
			return nil, errLongLine
		}
	}
	return line, err
}

// Read visits the lines of a log from its beginning, numbered from 1; a torn last line
// is not there. visit gets the error of Parse. It ends with the first error of visit or
// of the reader.
func Read(from io.Reader, visit func(number int, r Record, err error) error) error {
	return readWanted(from, func([]byte) bool { return true }, visit)
}

// ReadTurn is Read without most lines of other turns: one that begins as a Log writes it is
// passed over by its first bytes, since a log may have hundreds of megabytes. visit must look
// at the turn of what it gets all the same.
func ReadTurn(from io.Reader, turn int, visit func(number int, r Record, err error) error) error {
	return readWanted(from, func(line []byte) bool {
		n, is := turnOf(line)
		return !is || n == turn
	}, visit)
}

// Turns returns the lowest and the highest number of a turn that a log has; 0 if it has none. An error is that of the
// reader.
func Turns(from io.Reader) (first, last int, err error) {
	err = readWanted(from, func(line []byte) bool {
		if n, _ := turnOf(line); n > 0 {
			first, last = min(cmp.Or(first, n), n), max(last, n)
		}
		return false
	}, nil)
	return first, last, err
}

// turnOf returns the number of the turn with which a line begins that a Log has written.
func turnOf(line []byte) (turn int, is bool) {
	rest, is := bytes.CutPrefix(line, []byte(`{"turn":`))
	number, _, whole := bytes.Cut(rest[:min(len(rest), 24)], []byte(","))
	turn, err := strconv.Atoi(string(number))
	return turn, is && whole && err == nil
}

// readWanted visits the lines that are wanted.
func readWanted(from io.Reader, wanted func(line []byte) bool, visit func(number int, r Record, err error) error) error {
	lines := bufio.NewReader(from)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !wanted(line) {
			continue
		}
		r, err := Parse(line)
		if err := visit(number, r, err); err != nil {
			return err
		}
	}
}
