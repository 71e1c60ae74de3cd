package place

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Claim is the right to a console's name: locks that the host holds for its lifetime.
type Claim struct {
	Files  Files
	lock   *flock.Flock
	record *flock.Flock // on the directory Files.Record; nil while a name is only tested
}

// ErrNameInUse reports that a running host holds the name.
var ErrNameInUse = errors.New("running already")

// take claims a name. Files of a killed host are removed first. If the name is locked and nobody
// listens on its socket, Take waits at most for patience.
//
// Errors: ErrNameInUse.
func take(f Files, patience time.Duration) (*Claim, error) {
	for {
		c := &Claim{Files: f, lock: flock.New(f.Lock, flock.SetPermissions(0o600))}
		got, err := c.lock.TryLock()
		if err == nil && !got && patience > 0 && !answers(f.Socket) {
			got, err = c.lockWithin(patience)
		}
		if err != nil {
			return nil, fmt.Errorf("claiming the name: %w", err)
		}
		if !got {
			_ = c.lock.Close() // nothing is locked
			return nil, ErrNameInUse
		}
		if isUnder(c.lock, f.Lock) {
			_ = os.Remove(f.Socket) // its host is dead: the lock is held here
			return c, nil
		}
		_ = c.lock.Close() // the previous holder removed the file before it was locked
	}
}

// claimPatience is how long a name may be locked by a process other than a host: one that checks
// whether a host is alive, or a program that a killed host was just starting.
const claimPatience = 500 * time.Millisecond

func (c *Claim) lockWithin(patience time.Duration) (got bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if got, err = c.lock.TryLockContext(ctx, patience/100); ctx.Err() != nil {
		return got, nil
	}
	return got, err
}

// ClaimName claims the name of a console to start, and creates and locks the directory of its
// results; without a name, the first free one made of the adapter's name and a number.
//
// Errors: ErrNameInUse; those of Of.
func (s *Spec) ClaimName(getenv func(string) string) (*Claim, error) {
	if s.Name != "" {
		f, err := Of(getenv, s.Name)
		if err != nil {
			return nil, err
		}
		c, err := take(f, claimPatience)
		if errors.Is(err, ErrNameInUse) && !f.kept() { // by a console of this user with another home
			c, err = take(f.withOwnSocket(), claimPatience)
		}
		return c.withRecord(err)
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", s.plainName(), n)
		f, err := Of(getenv, name)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(f.Record); err == nil {
			continue // it is running, or its results can still be read
		}
		c, err := take(f, 0)
		if c, err = c.withRecord(err); errors.Is(err, ErrNameInUse) {
			continue
		}
		s.Name = name
		return c, err
	}
}

// withRecord also locks the directory of results, unless err says that the name is not claimed. Of
// several processes that start a console of one name and home, only one gets this lock; a socket's
// name does not decide it, since each of them may have one of its own.
func (c *Claim) withRecord(err error) (*Claim, error) {
	if err == nil {
		if c.record, err = lockDir(c.Files.Record); err != nil {
			c.Release()
		}
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// lockDir creates a directory if it is missing and locks it.
//
// Errors: ErrNameInUse.
func lockDir(dir string) (*flock.Flock, error) {
	for {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := Private(filepath.Dir(dir), "XDG_STATE_HOME"); err != nil {
			return nil, err
		}
		lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
		got, err := lock.TryLock()
		switch {
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("locking the directory of results: %w", err)
		case err == nil && !got:
			_ = lock.Close()                                                                         // nothing is locked
			return nil, fmt.Errorf("%w, perhaps started with another XDG_RUNTIME_DIR", ErrNameInUse) // its socket is not the usual one
		case err == nil && isUnder(lock, dir):
			return lock, nil
		}
		_ = lock.Close() // the previous holder removed the directory before it was locked
	}
}

// kept reports whether a host keeps the record.
func (f Files) kept() bool {
	lock := flock.New(f.Record, flock.SetFlag(os.O_RDONLY))
	got, err := lock.TryRLock()
	_ = lock.Close() // which unlocks it
	return err == nil && !got
}

// withOwnSocket returns files with the same record and a socket of its own: the record identifies a
// console, and consoles of two homes may have the same name.
func (f Files) withOwnSocket() Files {
	sum := sha256.Sum256([]byte(f.Record))
	base := filepath.Join(filepath.Dir(f.Socket), "h-"+hex.EncodeToString(sum[:8]))
	return Files{Socket: base + ".sock", Lock: base + ".lock", Record: f.Record}
}

// isUnder reports whether name still refers to the locked file.
func isUnder(lock *flock.Flock, name string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(held, named)
}

// Release gives up the name and removes its files; of the directory of results, only an empty one.
func (c *Claim) Release() {
	if c.record != nil {
		if isUnder(c.record, c.Files.Record) {
			_ = os.Remove(c.Files.Record)
		}
		_ = c.record.Close()
	}
	_ = os.Remove(c.Files.Socket)
	_ = os.Remove(c.Files.Lock)
	_ = c.lock.Close()
}

// Dead reports whether no running host has the name, and removes the files of a killed host from
// the directory of sockets.
func (f Files) Dead() bool { return f.withLock(func() error { return nil }) == nil }

// Forget is like Dead, and also removes the results.
//
// Errors: ErrNameInUse if a host is running.
func (f Files) Forget() error { return f.withLock(func() error { return os.RemoveAll(f.Record) }) }

// withLock calls do while no other process can claim the name.
//
// Errors: ErrNameInUse if a host is running.
func (f Files) withLock(do func() error) error {
	if answers(f.Socket) {
		return ErrNameInUse
	}
	c, err := take(f, claimPatience)
	if err != nil {
		return err
	}
	defer c.Release()
	return do()
}
