package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"ripple/runtime/loop/hats"
	"ripple/runtime/loop/layout"
)

// Variables of the environment by which what runs in a turn finds its loop.
const (
	TokenVariable   = "RIPPLE_EMIT_TOKEN"   // valid in this turn alone
	ProjectVariable = "RIPPLE_EMIT_PROJECT" // the directory that has .ralph
)

// InboxHead is the first line of the file into which a turn's commands write topics.
type InboxHead struct {
	Token     string   `json:"token"`
	Turn      int      `json:"turn"`
	Hat       string   `json:"hat,omitempty"` // "": a plain turn
	Publishes []string `json:"publishes,omitempty"`
	Default   string   `json:"default,omitempty"`
	Promise   string   `json:"promise"`
}

// maxInbox bounds the topics of a turn.
const maxInbox = 50

// ErrTurnOver is that of a token whose turn has ended.
var ErrTurnOver = errors.New("the turn that this was started in is over")

// RefusedError is a topic that a turn may not publish.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// OpenInbox has a turn begin with nothing published, and makes its token.
func (s *Store) OpenInbox(h InboxHead) (token string, err error) {
	h.Token = rand.Text()
	data, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	return h.Token, s.Write(layout.InboxFile, append(data, '\n'))
}

// TakeInbox is what was published with a token, which is valid no more. found is false
// when somebody removed it.
func (s *Store) TakeInbox(token string) (list []hats.Published, found bool, err error) {
	unlock, err := s.lockInbox()
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

// Emit publishes a topic in the turn of a token. Errors: ErrTurnOver, *RefusedError.
func Emit(project, token string, p hats.Published) error {
	s := NewStore(project, nil)
	if _, err := os.Stat(s.Path("")); err != nil {
		return fmt.Errorf("%w, and its loop's files are gone: %w", ErrTurnOver, err)
	}
	unlock, err := s.lockInbox()
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
		return &RefusedError{fmt.Sprintf("a turn may publish %d topics, and this one has", maxInbox)}
	}
	var hat *hats.Hat
	if head.Hat != "" {
		hat = &hats.Hat{Key: head.Hat, Publishes: head.Publishes, Default: head.Default}
	}
	if why := (&hats.Rules{Promise: head.Promise}).Refusal(hat, p.Topic); why != "" {
		return &RefusedError{why}
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.Path(layout.InboxFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}

// lockInbox keeps others out for a moment.
func (s *Store) lockInbox() (unlock func(), err error) {
	l := flock.New(s.Path(layout.InboxLock))
	if err := l.Lock(); err != nil {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // it ends with the process at the latest
}

// readInbox reads whole lines; a torn last one was never said to be published.
func (s *Store) readInbox() (head InboxHead, list []hats.Published, err error) {
	data, err := layout.ReadFile(s.Path(layout.InboxFile))
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
		if json.Unmarshal(lines.Bytes(), &p) == nil && len(list) < maxInbox { // others may write the file
			cut := p.Cut
			p = hats.NewPublished(p.Topic, p.Payload)
			p.Emitted, p.Cut = true, p.Cut || cut
			list = append(list, p)
		}
	}
	return head, list, nil
}
