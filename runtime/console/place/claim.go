package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Claim is the right to a console's name: a lock that the host holds for life.
type Claim struct {
	Files Files
	lock  *flock.Flock
}

// ErrTaken is a name that a living host holds.
var ErrTaken = errors.New("a console of that name is running")

// Take claims a name. What a killed host left of it is removed first. It waits for at
// most patience when the name is held and nobody listens there.
//
// Errors: ErrTaken.
func Take(f Files, patience time.Duration) (*Claim, error) {
	for {
		c := &Claim{Files: f, lock: flock.New(f.Lock, flock.SetPermissions(0o600))}
		got, err := c.lock.TryLock()
		if err == nil && !got && patience > 0 && !answers(f.Socket) {
			got, err = c.patiently(patience)
		}
		if err != nil {
			return nil, fmt.Errorf("claiming the name: %w", err)
		}
		if !got {
			_ = c.lock.Close() // nothing is locked
			return nil, ErrTaken
		}
		if IsUnder(c.lock, f.Lock) {
			_ = os.Remove(f.Socket) // its host is dead: we have its lock
			return c, nil
		}
		_ = c.lock.Close() // the one before removed the file between our opening and locking it
	}
}

// claimPatience is how long a name may be held by what is no host: somebody who
// looks whether one lives, or a program that a killed host was just starting.
const claimPatience = 500 * time.Millisecond

func (c *Claim) patiently(patience time.Duration) (got bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if got, err = c.lock.TryLockContext(ctx, patience/100); ctx.Err() != nil {
		return got, nil
	}
	return got, err
}

// TakeName claims the name of a console that is to be; without one, the first free one of
// the adapter's name and a number.
//
// Errors: ErrTaken; those of Of.
func (s *Spec) TakeName(getenv func(string) string) (*Claim, error) {
	if s.Name != "" {
		f, err := Of(getenv, s.Name)
		if err != nil {
			return nil, err
		}
		return Take(f, claimPatience)
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", s.plainName(), n)
		f, err := Of(getenv, name)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(f.Record); err == nil {
			continue // it lives, or its results can still be read
		}
		c, err := Take(f, 0)
		if errors.Is(err, ErrTaken) {
			continue
		}
		s.Name = name
		return c, err
	}
}

// IsUnder says that the locked file is the one of that name.
func IsUnder(lock *flock.Flock, name string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(held, named)
}

// Release gives the name back; nothing is left of it.
func (c *Claim) Release() {
	_ = os.Remove(c.Files.Socket)
	_ = os.Remove(c.Files.Lock)
	_ = c.lock.Close()
}

// Dead says whether no living host has the name, and removes what a killed one left
// in the directory of sockets.
func (f Files) Dead() bool { return f.bury(func() error { return nil }) == nil }

// Forget is Dead, and removes the results, too.
//
// Errors: ErrTaken when a host lives.
func (f Files) Forget() error { return f.bury(func() error { return os.RemoveAll(f.Record) }) }

// bury does something while nobody else can take the name.
//
// Errors: ErrTaken when a host lives.
func (f Files) bury(do func() error) error {
	if answers(f.Socket) {
		return ErrTaken
	}
	c, err := Take(f, claimPatience)
	if err != nil {
		return err
	}
	defer c.Release()
	return do()
}
