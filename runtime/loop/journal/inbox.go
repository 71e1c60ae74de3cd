package journal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop/hats"
)

// Environment variables by which commands that run in a turn find their loop.
const (
	TokenVariable   = "RIPPLE_EMIT_TOKEN"   // valid only in this turn
	ProjectVariable = "RIPPLE_EMIT_PROJECT" // the directory that contains .ralph
)

// AnswerVariable is the environment variable by which a command that the user has set for questions
// may answer them although the loop has started it.
const AnswerVariable = "RIPPLE_ANSWER_TOKEN"

// InboxHead is the first line of the file to which a turn's commands write topics.
type InboxHead struct {
	Token     string   `json:"token"`
	Turn      int      `json:"turn"`
	Hat       string   `json:"hat,omitempty"` // "" for a plain turn
	Publishes []string `json:"publishes,omitempty"`
	Default   string   `json:"default,omitempty"`
	Promise   string   `json:"promise"`
	Promisers []string `json:"promisers,omitempty"` // hats that may publish the promise
}

// maxInbox is the maximum number of topics per turn.
const maxInbox = 50

// ErrTurnOver is returned for a token whose turn has ended.
var ErrTurnOver = errors.New("the turn that started this command is over")

// RefusedError is a topic that a turn may not publish.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// OpenInbox creates the empty inbox of a turn and returns its token.
func (s *Store) OpenInbox(h InboxHead) (token string, err error) {
	h.Token = rand.Text()
	data, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	return h.Token, s.Write(layout.InboxFile, append(data, '\n'))
}

// TakeInbox returns the topics published with a token and invalidates it. found is false if the
// inbox was removed.
func (s *Store) TakeInbox(token string) (list []hats.Published, found bool, err error) {
	unlock, err := lockBriefly(s.files, layout.InboxLock)
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	head, list, err := s.readInbox()
	if errors.Is(err, ErrTurnOver) || err == nil && head.Token != token {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	return list, true, s.Remove(layout.InboxFile)
}

// Emit publishes a topic in the turn that the token identifies. Errors: ErrTurnOver, *RefusedError.
func Emit(project, token string, p hats.Published) error {
	s := NewStore(project, nil)
	if _, err := s.files.Stat(""); err != nil {
		return fmt.Errorf("%w, and its loop's files are gone: %w", ErrTurnOver, err)
	}
	unlock, err := lockBriefly(s.files, layout.InboxLock)
	if err != nil {
		return err
	}
	defer unlock()
	head, list, err := s.readInbox()
	switch {
	case err != nil:
		return err
	case head.Token != token:
		return ErrTurnOver
	case len(list) >= maxInbox:
		return &RefusedError{fmt.Sprintf("a turn may publish at most %d topics", maxInbox)}
	}
	var hat *hats.Hat
	if head.Hat != "" {
		hat = &hats.Hat{Key: head.Hat, Publishes: head.Publishes, Default: head.Default}
	}
	rules := &hats.Rules{Promise: head.Promise}
	for _, key := range head.Promisers {
		rules.Hats = append(rules.Hats, hats.Hat{Key: key, Publishes: []string{head.Promise}})
	}
	if why := rules.Refusal(hat, p.Topic); why != "" {
		return &RefusedError{why}
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := s.files.OpenFile(layout.InboxFile, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}

// briefly is how long another process may hold a lock of lockBriefly: every user who may read its file can take it, and
// nobody can interrupt the wait.
var briefly = 10 * time.Second

// lockBriefly takes a lock that is held only for short operations.
func lockBriefly(files projectfile.Dir, name string) (unlock func(), err error) {
	l, err := lockOf(files, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), briefly)
	defer cancel()
	taken, err := l.TryLockContext(ctx, 5*time.Millisecond)
	if !taken && ctx.Err() != nil {
		return nil, fmt.Errorf("another process has locked %s for more than %v: end that process", l.Path(), briefly)
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // the lock ends with the process at the latest
}

// readInbox reads complete lines; a torn last line was never acknowledged.
func (s *Store) readInbox() (head InboxHead, list []hats.Published, err error) {
	data, err := layout.Read(s.project, layout.InboxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return head, nil, ErrTurnOver
	}
	if err != nil {
		return head, nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				return head, nil, fmt.Errorf("%s cannot be read: %w", s.Path(layout.InboxFile), err)
			}
			continue
		}
		var p hats.Published
		if json.Unmarshal(lines.Bytes(), &p) == nil && len(list) < maxInbox { // other programs may write the file
			cut := p.Cut
			p = hats.NewPublished(p.Topic, p.Payload)
			p.Emitted, p.Cut = true, p.Cut || cut
			list = append(list, p)
		}
	}
	return head, list, nil
}
