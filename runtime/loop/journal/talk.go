package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Talk is what the run that is under way, or ended last, has asked a person.
type Talk struct {
	Run       string
	Questions []record.Question // not all that were ever answered
}

// ReadTalk reads the end of a project's events.jsonl; it changes nothing. One that is
// not there leaves zero values.
func ReadTalk(project string) (t Talk, err error) {
	var later []record.Line // than the state, the last first
	err = fromEnd(project, func(v record.Line) bool {
		if v.Question != nil {
			later = append(later, v)
		}
		if v.State != nil {
			t.Run, t.Questions = v.State.Run, v.State.Questions
		}
		return v.State != nil
	})
	for _, v := range slices.Backward(later) {
		t.Questions = Fold(t.Questions, v)
	}
	return t, err
}

// Fold takes what a line says of questions into a list of them, which stays as it is.
func Fold(list []record.Question, v record.Line) []record.Question {
	changed := v.Asked
	if v.Question != nil && v.Type != record.Decided {
		changed = append(changed[:len(changed):len(changed)], *v.Question)
	}
	list = slices.Clone(list)
	for _, q := range changed {
		if i := slices.IndexFunc(list, func(o record.Question) bool { return o.ID == q.ID }); i >= 0 {
			list[i] = q
		} else {
			list = append(list, q)
		}
	}
	return list
}

// open are the questions that wait for a person, who has not replied yet.
func (t Talk) open(replies []Reply) (list []record.Question) {
	for _, q := range t.Questions {
		replied := slices.ContainsFunc(replies, func(r Reply) bool { return r.Run == t.Run && r.Question == q.ID })
		if q.Open() && !replied {
			list = append(list, q)
		}
	}
	return list
}

// OpenQuestions are those of a project's loop that a person can answer, the oldest first.
func OpenQuestions(project string) ([]record.Question, error) {
	// The replies first: a loop records an answer and then removes the reply, and what is
	// read in between must be in one of the two.
	replies, err := NewReplies(NewStore(project, nil)).Read()
	if errors.Is(err, fs.ErrPermission) {
		err = nil // who may only look sees the question a moment longer
	}
	if err != nil {
		return nil, err
	}
	t, err := ReadTalk(project)
	return t.open(replies), err
}

// fromEnd visits the lines of a project's events.jsonl that have a question or a state,
// the last first, until visit says that it is enough.
func fromEnd(project string, visit func(record.Line) bool) error {
	f, err := os.Open(filepath.Join(project, layout.Dir, layout.EventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return eachLineBackwards(f, info.Size(), func(data []byte, _ int64) bool {
		if !bytes.Contains(data, []byte(`"question":{`)) && !bytes.Contains(data, []byte(`"state":{`)) {
			return false // an event of the agent, of which there may be very many
		}
		var v record.Line
		return json.Unmarshal(data, &v) == nil && visit(v) // else torn, or nobody's
	})
}
