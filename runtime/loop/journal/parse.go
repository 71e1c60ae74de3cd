package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/record"
)

// Record is a line of events.jsonl: one of the loop's own, or an event of the agent.
type Record struct {
	record.Line
	Event *event.Event // nil: the line is the loop's own
}

// own are the types of the loop's own lines.
var own = map[string]bool{
	record.RunStarted: true, record.TurnStarted: true, record.TurnEnded: true, record.Verified: true, record.Committed: true,
	record.CommitRefused: true, record.Reset: true, record.Stopped: true, record.WrittenBack: true,
	record.Asked: true, record.Answered: true, record.Decided: true, record.Guided: true,
}

// talking are the types of lines that have a question.
var talking = []string{record.Asked, record.Answered, record.Decided}

// Parse reads a line. The error is of what no loop has written.
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
			err = errors.New("it does not say what was said")
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

// Read visits the lines of a log from its beginning, numbered from 1; a torn last line
// is not there. visit gets the error of Parse. It ends with the first error of visit or
// of the reader.
func Read(from io.Reader, visit func(number int, r Record, err error) error) error {
	lines := bufio.NewReader(from)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := Parse(line)
		if err := visit(number, r, err); err != nil {
			return err
		}
	}
}
