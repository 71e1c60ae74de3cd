package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop/record"
)

// LockedError is returned when another loop runs in the project.
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

// lockPatience is how long a killed loop may still hold the lock: a child that was just being
// started holds its descriptors until exec.
const lockPatience = 2 * time.Second

// lockOf returns the lock of a file, which is opened when the lock is taken.
func lockOf(files projectfile.Dir, name string, flag int) (*flock.Flock, error) {
	_, err := files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0 {
		var f *os.File
		if f, err = files.Update(name); err == nil { // with the mode of a file that a group may share
			err = f.Close()
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(files.Path(name), flock.SetFlag(flag|projectfile.LockFlags), flock.SetPermissions(0o666)), nil
}

// Lock locks the project for this process until unlock is called or the process ends, when the
// kernel releases it.
func (s *Store) Lock(now time.Time) (unlock func() error, err error) {
	l, err := lockOf(s.files, layout.LockFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	taken, err := l.TryLockContext(ctx, lockPatience/200)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("locking %s: %w", l.Path(), err)
	case !taken:
		return nil, &LockedError{l.Path(), s.Holder()}
	}
	s.held = l
	host, _ := os.Hostname() // informational; "" if unknown
	h := record.Holder{PID: os.Getpid(), Host: host, Started: now}
	if s.answerToken == "" { // a lock that is taken again keeps it: commands have it already
		s.answerToken = rand.Text()
	}
	h.SetToken(s.answerToken)
	s.Sign(h)
	return func() error { return s.held.Unlock() }, nil
}

// AnswerToken returns the token for the commands that the user has set for questions: the value of
// AnswerVariable. It is empty before Lock.
func (s *Store) AnswerToken() string { return s.answerToken }

// Await waits up to lockPatience until no loop runs in a project, without taking the lock; a
// *LockedError names the holder.
func Await(project string) error {
	s := NewStore(project, nil)
	l, err := lockOf(s.files, layout.LockFile, os.O_RDONLY)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	taken, err := l.TryRLockContext(ctx, lockPatience/200)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("locking %s: %w", l.Path(), err)
	case !taken:
		return &LockedError{l.Path(), s.Holder()}
	}
	return l.Unlock()
}

// Unlocked reports whether the lock's name no longer refers to the locked file, so that a second
// loop could start.
func (s *Store) Unlocked() bool {
	locked, err := s.held.Stat()
	if err != nil {
		return true
	}
	named, err := s.files.Stat(layout.LockFile)
	return err != nil || !os.SameFile(locked, named)
}

// Relock takes the lock again after its file was removed.
func (s *Store) Relock(now time.Time) error {
	if !s.Unlocked() {
		return nil
	}
	before := s.held
	if _, err := s.Lock(now); err != nil {
		return err
	}
	_ = before.Unlock() // the old file has no name
	return nil
}

// Sign writes the holder to the lock file. It writes in place, since a rename would lose the
// lock. The content is informational only, and some systems do not allow writing to a locked
// file.
func (s *Store) Sign(h record.Holder) {
	data, _ := json.Marshal(h)
	f, err := s.files.Create(layout.LockFile)
	if err != nil {
		return
	}
	_, _ = f.Write(append(data, '\n'))
	_ = f.Close()
}

// Holder reads the last holder of the lock; zero if unknown.
func (s *Store) Holder() record.Holder {
	var h record.Holder
	f, err := s.files.Open(layout.LockFile)
	if err != nil {
		return h
	}
	defer f.Close() // opened for reading only
	data, _ := io.ReadAll(io.LimitReader(f, 4096))
	if json.Unmarshal(data, &h) != nil {
		return record.Holder{}
	}
	return h
}

// Locked returns the holder of a running loop in the project, if any.
func (s *Store) Locked() (record.Holder, bool, error) {
	if !s.files.Exists(layout.LockFile) {
		return record.Holder{}, false, nil
	}
	l, err := lockOf(s.files, layout.LockFile, os.O_RDONLY)
	if err != nil {
		return record.Holder{}, false, err
	}
	taken, err := l.TryRLock()
	if err != nil || taken {
		return record.Holder{}, false, errors.Join(err, l.Unlock())
	}
	return s.Holder(), true, nil
}
