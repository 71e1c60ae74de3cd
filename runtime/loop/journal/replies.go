package journal

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// Reply is a user's message to a loop that is not in the loop's record yet.
type Reply struct {
	ID       string       `json:"id"`
	Run      string       `json:"run"`                // the run that it is for
	Time     time.Time    `json:"time"`               // when it was given
	Question string       `json:"question,omitempty"` // the question that it answers; "" for a guide
	Answer   event.Answer `json:"answer,omitzero"`
	Guide    string       `json:"guide,omitempty"`
}

// Replies is the file of replies that are not in the loop's record yet.
type Replies struct{ store *Store }

// NewReplies returns the replies of a project.
func NewReplies(s *Store) Replies { return Replies{s} }

// MaxReply is the maximum length of an answer or a guide, in bytes.
const MaxReply = 32 << 10

// Errors of replies.
var (
	ErrNoQuestion = errors.New("no question is open")
	ErrNoLoop     = errors.New("no loop runs here")
)

// AnsweredError is returned for a question that was answered or no longer needs an answer.
type AnsweredError struct{ Question record.Question }

func (e *AnsweredError) Error() string {
	if e.Question.Ended != "" {
		return fmt.Sprintf("%s no longer needs an answer: %s", e.Question.ID, e.Question.Ended)
	}
	return e.Question.ID + " has an answer already"
}

// Answer answers the open question that choose picks. When it returns, the answer is on disk for
// the running loop or for the resumed run. Errors: ErrNoLoop, ErrNoQuestion, *AnsweredError,
// those of choose.
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
			return nil, fmt.Errorf("%w with the ID %q", ErrNoQuestion, id)
		}
		return &Reply{ID: rand.Text(), Run: t.Run, Time: now, Question: id, Answer: a}, nil
	})
}

// Advise adds text to the next prompt of a running loop. Errors: ErrNoLoop.
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

// Leave is like Advise, but also works after the loop has ended: the resumed run has the text in
// its next prompt. Errors: ErrNoLoop.
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

// reply appends the result of say to the file of replies.
func (s Replies) reply(say func(left []Reply) (*Reply, error)) error {
	if !s.store.files.Exists("") {
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
	// The next prompt, which may be an argument of a program, will contain the text.
	r.Answer.Text, r.Guide = strings.ReplaceAll(r.Answer.Text, "\x00", "�"), strings.ReplaceAll(r.Guide, "\x00", "�")
	return s.write(append(left, *r))
}

// Read returns the replies; none if the file does not exist. It changes nothing, and needs no lock, because the file is only
// replaced as a whole.
func (s Replies) Read() ([]Reply, error) {
	if !s.store.files.Exists(layout.RepliesFile) {
		return nil, nil // fast path: read often, and usually missing
	}
	return s.read()
}

// Drop removes the replies for which drop returns true.
func (s Replies) Drop(drop func(Reply) bool) error {
	if !s.store.files.Exists(layout.RepliesFile) {
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
	return lockBriefly(s.store.files, layout.RepliesLock)
}

// read ignores lines that ripple did not write.
func (s Replies) read() (list []Reply, err error) {
	data, err := layout.Read(s.store.project, layout.RepliesFile)
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
	// A starting loop removes temporary files, possibly this one: retry once.
	err := s.store.Write(layout.RepliesFile, b.Bytes())
	for tries := 0; tries < 3 && errors.Is(err, fs.ErrNotExist); tries++ {
		err = s.store.Write(layout.RepliesFile, b.Bytes())
	}
	return err
}
