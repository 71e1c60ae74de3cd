package journal

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"ripple/runtime/event"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Reply is what a person says to a loop, until the loop's record has it.
type Reply struct {
	ID       string       `json:"id"`
	Run      string       `json:"run"`                // for which it is
	Time     time.Time    `json:"time"`               // when it was said
	Question string       `json:"question,omitempty"` // whose answer it is; "": a guide
	Answer   event.Answer `json:"answer,omitzero"`
	Guide    string       `json:"guide,omitempty"`
}

// Replies are the file of what people said to a loop that its record does not have yet.
type Replies struct{ store *Store }

// NewReplies is that of a project.
func NewReplies(s *Store) Replies { return Replies{s} }

// MaxReply bounds an answer and a guide, in bytes.
const MaxReply = 32 << 10

// Errors of replies.
var (
	ErrNoQuestion = errors.New("no question is open")
	ErrNoLoop     = errors.New("no loop runs here")
)

// AnsweredError is that of a question which has an answer, or needs none any more.
type AnsweredError struct{ Question record.Question }

func (e *AnsweredError) Error() string {
	if e.Question.Ended != "" {
		return fmt.Sprintf("%s needs no answer any more: %s", e.Question.ID, e.Question.Ended)
	}
	return e.Question.ID + " has an answer already"
}

// Answer answers the question that choose picks of those that are open. When it returns,
// the answer is on the disk: the loop that runs takes it, or the one that goes on.
// Errors: ErrNoLoop, ErrNoQuestion, *AnsweredError, those of choose.
func Answer(project string, now time.Time, choose func(open []record.Question) (id string, a event.Answer, err error)) error {
	s := NewReplies(NewStore(project, nil))
	return s.reply(func(left []Reply) (*Reply, error) {
		t, err := ReadTalk(project)
		if err != nil {
			return nil, err
		}
		open := t.open(left)
		id, a, err := choose(open)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(open, func(q record.Question) bool { return q.ID == id }) {
			for _, q := range t.Questions {
				if q.ID == id {
					return nil, &AnsweredError{q}
				}
			}
			return nil, fmt.Errorf("%w under the name %q", ErrNoQuestion, id)
		}
		return &Reply{ID: rand.Text(), Run: t.Run, Time: now, Question: id, Answer: a}, nil
	})
}

// Advise gives the next prompt of a loop that runs these words. Errors: ErrNoLoop.
func Advise(project, text string, now time.Time) error {
	s := NewReplies(NewStore(project, nil))
	_, held, err := s.store.Locked()
	if err != nil {
		return err
	}
	if !held {
		return ErrNoLoop
	}
	return Leave(project, text, now)
}

// Leave is Advise for a loop that has ended, too: the run that is gone on with has the
// words in its next prompt. Errors: ErrNoLoop.
func Leave(project, text string, now time.Time) error {
	s := NewReplies(NewStore(project, nil))
	return s.reply(func([]Reply) (*Reply, error) {
		t, err := ReadTalk(project)
		if err == nil && t.Run == "" {
			err = ErrNoLoop
		}
		return &Reply{ID: rand.Text(), Run: t.Run, Time: now, Guide: text}, err
	})
}

// reply adds what say returns to the file of replies.
func (s Replies) reply(say func(left []Reply) (*Reply, error)) error {
	if _, err := os.Stat(s.store.Path("")); errors.Is(err, fs.ErrNotExist) {
		return ErrNoLoop
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	left, err := s.read()
	if err != nil {
		return err
	}
	r, err := say(left)
	if err != nil {
		return err
	}
	// The next prompt has it, which may be an argument of a program.
	r.Answer.Text, r.Guide = strings.ReplaceAll(r.Answer.Text, "\x00", "�"), strings.ReplaceAll(r.Guide, "\x00", "�")
	return s.write(append(left, *r))
}

// Read are those that people gave; none where no file of them is.
func (s Replies) Read() ([]Reply, error) {
	if _, err := os.Stat(s.store.Path(layout.RepliesFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // looked at often, and mostly so
	}
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.read()
}

// Drop removes those that drop says of.
func (s Replies) Drop(drop func(Reply) bool) error {
	if _, err := os.Stat(s.store.Path(layout.RepliesFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	left, err := s.read()
	if err != nil {
		return err
	}
	if left = slices.DeleteFunc(left, drop); len(left) == 0 {
		return s.store.Remove(layout.RepliesFile)
	}
	return s.write(left)
}

func (s Replies) lock() (unlock func(), err error) {
	l := flock.New(s.store.Path(layout.RepliesLock))
	if err := l.Lock(); err != nil {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // it ends with the process at the latest
}

// read leaves out what nobody of ours wrote.
func (s Replies) read() (list []Reply, err error) {
	data, err := layout.ReadFile(s.store.Path(layout.RepliesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		var r Reply
		if json.Unmarshal(line, &r) == nil && r.ID != "" {
			list = append(list, r)
		}
	}
	return list, err
}

func (s Replies) write(list []Reply) error {
	var b bytes.Buffer
	for _, r := range list {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		b.Write(append(data, '\n'))
	}
	// A loop that begins sweeps temporary files away, maybe this one: once more, then.
	err := s.store.Write(layout.RepliesFile, b.Bytes())
	for tries := 0; tries < 3 && errors.Is(err, fs.ErrNotExist); tries++ {
		err = s.store.Write(layout.RepliesFile, b.Bytes())
	}
	return err
}
