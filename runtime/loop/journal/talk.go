package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// Talk has the questions of the current or last run.
type Talk struct {
	Run       string
	Questions []record.Question // may lack old answered questions
}

// ReadTalk reads the end of a project's events.jsonl; it changes nothing. If the file does not
// exist, it returns zero values.
func ReadTalk(project string) (t Talk, err error) {
	var later []record.Line // lines after the state, last first
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
		t.Questions = UpdateQuestions(t.Questions, v)
	}
	return t, err
}

// UpdateQuestions returns a list of questions as it is after a line of the log; the list itself is
// not modified.
func UpdateQuestions(list []record.Question, v record.Line) []record.Question {
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

// open returns the questions that wait for an answer and have no reply yet.
func (t Talk) open(replies []Reply) (list []record.Question) {
	for _, q := range t.Questions {
		replied := slices.ContainsFunc(replies, func(r Reply) bool { return r.Run == t.Run && r.Question == q.ID })
		if q.Open() && !replied {
			list = append(list, q)
		}
	}
	return list
}

// OpenQuestions returns the open questions of a project's loop, oldest first.
func OpenQuestions(project string) ([]record.Question, error) {
	// The replies are read first: a loop records an answer and then removes the reply, so that
	// each answer is found in at least one of the two.
	replies, err := NewReplies(NewStore(project, nil)).Read()
	if errors.Is(err, fs.ErrPermission) {
		err = nil // a user who may not read the file sees the question slightly longer
	}
	if err != nil {
		return nil, err
	}
	t, err := ReadTalk(project)
	return t.open(replies), err
}

// fromEnd visits the lines of a project's events.jsonl that have a question or a state, last line
// first, until visit returns true.
func fromEnd(project string, visit func(record.Line) bool) error {
	f, err := layout.Files(project).Open(layout.EventsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading only
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return eachLineBackwards(f, info.Size(), func(data []byte, _ int64) bool {
		if !bytes.Contains(data, []byte(`"question":{`)) && !bytes.Contains(data, []byte(`"state":{`)) {
			return false // skip the agent's events, since there may be very many
		}
		var v record.Line
		return json.Unmarshal(data, &v) == nil && visit(v) // otherwise torn or foreign
	})
}
