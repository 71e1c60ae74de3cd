package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gofrs/flock"

	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// LockedError says that another loop runs in the project.
type LockedError struct {
	Path string
	record.Holder
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d on %s, started %s", e.PID, e.Host, e.Started.Local().Format(time.DateTime))
	}
	return fmt.Sprintf("%s is held by %s: a loop is running here already", e.Path, who)
}

// lockPatience is how long a lock may be held by what is no loop any more: a
// program that a killed one was just starting has its files open until it runs.
const lockPatience = 500 * time.Millisecond

// Lock takes the project for this process until unlock, or until it ends in
// whatever way: the kernel lets go of it then.
func (s *Store) Lock(now time.Time) (unlock func() error, err error) {
	l := flock.New(s.Path(layout.LockFile), flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	taken, err := l.TryLockContext(ctx, lockPatience/50)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("cannot lock %s: %w", l.Path(), err)
	case !taken:
		return nil, &LockedError{l.Path(), s.Holder()}
	}
	s.held = l
	host, _ := os.Hostname() // for people; "" says less
	s.Sign(record.Holder{PID: os.Getpid(), Host: host, Started: now})
	return func() error { return s.held.Unlock() }, nil
}

// Await waits until no loop runs in a project, as long as Lock does, and takes nothing;
// a *LockedError says who has it.
func Await(project string) error {
	s := NewStore(project, nil)
	l := flock.New(s.Path(layout.LockFile), flock.SetFlag(os.O_RDWR))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	taken, err := l.TryRLockContext(ctx, lockPatience/50)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("cannot lock %s: %w", l.Path(), err)
	case !taken:
		return &LockedError{l.Path(), s.Holder()}
	}
	return l.Unlock()
}

// Unlocked says whether the lock's name no longer leads to what was locked: a second
// loop could begin.
func (s *Store) Unlocked() bool {
	locked, err := s.held.Stat()
	if err != nil {
		return true
	}
	named, err := os.Stat(s.held.Path())
	return err != nil || !os.SameFile(locked, named)
}

// Relock takes a lock that was removed once more.
func (s *Store) Relock(now time.Time) error {
	if !s.Unlocked() {
		return nil
	}
	before := s.held
	if _, err := s.Lock(now); err != nil {
		return err
	}
	_ = before.Unlock() // nobody can find it any more
	return nil
}

// Sign says who holds the lock. Written in place, a rename would lose the lock.
// It only tells people whom to ask and where to look, and some systems let nobody
// write to a locked file.
func (s *Store) Sign(h record.Holder) {
	data, _ := json.Marshal(h)
	_ = os.WriteFile(s.Path(layout.LockFile), append(data, '\n'), 0o644)
}

// Holder reads who took the lock; zero when that cannot be known.
func (s *Store) Holder() record.Holder {
	var h record.Holder
	f, err := os.Open(s.Path(layout.LockFile))
	if err != nil {
		return h
	}
	defer f.Close() // only read from
	data, _ := io.ReadAll(io.LimitReader(f, 4096))
	if json.Unmarshal(data, &h) != nil {
		return record.Holder{}
	}
	return h
}

// Locked says who runs a loop in the project, if somebody does.
func (s *Store) Locked() (record.Holder, bool, error) {
	if _, err := os.Stat(s.Path(layout.LockFile)); errors.Is(err, os.ErrNotExist) {
		return record.Holder{}, false, nil
	}
	l := flock.New(s.Path(layout.LockFile), flock.SetFlag(os.O_RDWR))
	taken, err := l.TryRLock()
	if err != nil || taken {
		return record.Holder{}, false, errors.Join(err, l.Unlock())
	}
	return s.Holder(), true, nil
}
