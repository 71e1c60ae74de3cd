package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
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
// else listens on its socket, take waits at most for patience. own is the socket of the caller, which is
// not removed; nil: it has none.
//
// Errors: ErrNameInUse.
func take(f Files, patience time.Duration, own fs.FileInfo) (*Claim, error) {
	for {
		if info, err := os.Lstat(f.Lock); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s, the lock of the console, is not a regular file: remove it", f.Lock)
		}
		c := &Claim{Files: f, lock: flock.New(f.Lock, flock.SetFlag(os.O_CREATE|os.O_RDONLY|projectfile.LockFlags), flock.SetPermissions(0o600))}
		got, err := c.lock.TryLock()
		if err == nil && !got && patience > 0 && !f.inUse(own) {
			got, err = within(patience, c.lock.TryLockContext)
		}
		if err != nil {
			return nil, fmt.Errorf("claiming the name: %w", err)
		}
		if !got {
			_ = c.lock.Close() // nothing is locked
			return nil, ErrNameInUse
		}
		if isUnder(c.lock, f.Lock) {
			if err := f.vacate(own); err != nil {
				_ = c.lock.Close()
				return nil, err
			}
			return c, nil
		}
		_ = c.lock.Close() // the previous holder removed the file before it was locked
	}
}

// inUse reports whether another process than the caller, whose socket is own, listens on the socket.
func (f Files) inUse(own fs.FileInfo) bool {
	named, err := os.Lstat(f.Socket)
	return err == nil && !os.SameFile(named, own) && answers(f.Socket)
}

// vacate removes the socket of a dead host, but not own. The caller holds the lock.
//
// Errors: ErrNameInUse: its host is alive, and somebody removed its lock.
func (f Files) vacate(own fs.FileInfo) error {
	named, err := os.Lstat(f.Socket)
	switch {
	case err != nil || os.SameFile(named, own):
	case answers(f.Socket):
		return ErrNameInUse
	default:
		_ = os.Remove(f.Socket)
	}
	return nil
}

// claimPatience is how long a name may be locked by a process other than a host: one that checks
// whether a host is alive, or a program that a killed host was just starting.
const claimPatience = 500 * time.Millisecond

// within waits at most for patience until it has a lock.
func within(patience time.Duration, lock func(context.Context, time.Duration) (bool, error)) (got bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if got, err = lock(ctx, patience/100); ctx.Err() != nil {
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
		c, err := take(f, claimPatience, nil)
		if errors.Is(err, ErrNameInUse) && !f.kept() { // by a console of this user with another home
			c, err = take(f.OwnSocket(), claimPatience, nil)
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
		c, err := take(f, 0, nil)
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
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s, for the results of the console, is not a directory: remove it", dir)
		}
		if err := Private(filepath.Dir(dir), "XDG_STATE_HOME"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		lock := flock.New(dir, flock.SetFlag(os.O_RDONLY|projectfile.LockFlags))
		got, err := within(claimPatience, lock.TryLockContext)
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
	lock := flock.New(f.Record, flock.SetFlag(os.O_RDONLY|projectfile.LockFlags))
	got, err := lock.TryRLock()
	_ = lock.Close() // which unlocks it
	return err == nil && !got
}

// shareRecord locks the directory of results, if there is one, against a host.
//
// Errors: ErrNameInUse if a host keeps the record.
func (f Files) shareRecord() (*flock.Flock, error) {
	lock := flock.New(f.Record, flock.SetFlag(os.O_RDONLY|projectfile.LockFlags))
	got, err := within(claimPatience, lock.TryRLockContext)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lock, nil // which is not locked
	case err != nil:
		return nil, fmt.Errorf("locking the directory of results: %w", err)
	case !got:
		_ = lock.Close() // nothing is locked
		return nil, ErrNameInUse
	}
	return lock, nil
}

// OwnSocket returns files with the same record and a socket that no other record's console has: the record identifies a
// console, and consoles of two homes may have the same name.
func (f Files) OwnSocket() Files {
	base := filepath.Join(filepath.Dir(f.Socket), socketName(f.Record))
	return Files{Socket: base + ".sock", Lock: base + ".lock", Record: f.Record}
}

// AcceptsSocket reports whether a host of this console, with any environment, could have chosen a path for its socket. A record in a home
// directory that a project brings may name any other: the file at that path and its lock would be removed.
func (f Files) AcceptsSocket(socket string) bool {
	name, is := strings.CutSuffix(filepath.Base(socket), ".sock")
	console := filepath.Base(f.Record)
	dir := filepath.Dir(socket)
	return is && filepath.IsAbs(socket) && slices.Contains([]string{console, socketName(console), socketName(f.Record)}, name) &&
		(slices.Contains([]string{"ripple", "ripple-" + strconv.Itoa(os.Getuid())}, filepath.Base(dir)) || strings.HasSuffix(dir, filepath.Join("/ripple", "run")))
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

// HasLock reports whether the lock beside the socket is still where others look for it.
func (c *Claim) HasLock() bool { return c.lock != nil && isUnder(c.lock, c.Files.Lock) }

// HasRecord reports whether the locked directory of results is still where others look for it.
func (c *Claim) HasRecord() bool { return isUnder(c.record, c.Files.Record) }

// RenewRecord creates and locks the directory of results of a running console again, which was removed.
//
// Errors: ErrNameInUse: another console of the name was started meanwhile. Then nothing has changed.
func (c *Claim) RenewRecord() error {
	lock, err := lockDir(c.Files.Record)
	if err != nil {
		return err
	}
	_ = c.record.Close() // its directory was removed
	c.record = lock
	return nil
}

// Renew claims a socket for a running console again whose socket or lock was removed: where a new
// console of the name would have them, as the directory may be gone. The name stays claimed by the lock
// of its results. own is the socket on which the console listens; it is left as it is, and if Renew fails,
// nothing has changed.
//
// Errors: those of Of.
func (c *Claim) Renew(getenv func(string) string, name string, own fs.FileInfo) error {
	if c.HasLock() && c.Files.vacate(own) == nil {
		return nil
	}
	f, err := Of(getenv, name)
	if err != nil {
		return err
	}
	f.Record = c.Files.Record
	found, err := take(f, claimPatience, own)
	if errors.Is(err, ErrNameInUse) { // by a console of this user with another home
		found, err = take(f.OwnSocket(), claimPatience, own)
	}
	if err != nil {
		return err
	}
	if c.lock != nil {
		_ = c.lock.Close() // its file was removed, or another console listens beside it
	}
	c.lock, c.Files = found.lock, found.Files
	return nil
}

// Release gives up the name and removes its files; of the directory of results, only an empty one.
func (c *Claim) Release() {
	if c.record != nil {
		if isUnder(c.record, c.Files.Record) {
			_ = os.Remove(c.Files.Record)
		}
		_ = c.record.Close()
	}
	c.releaseSocket()
}

// releaseSocket removes the socket and its lock, unless they were removed and may be another console's.
func (c *Claim) releaseSocket() {
	if c.lock == nil {
		return
	}
	if c.HasLock() {
		_ = os.Remove(c.Files.Socket)
		_ = os.Remove(c.Files.Lock)
	}
	_ = c.lock.Close()
	c.lock = nil
}

// Dead reports whether no running host has the name, and removes the files of a killed host from
// the directory of sockets.
func (f Files) Dead() bool { return f.withLock(func() error { return nil }) == nil }

// Forget is like Dead, and also removes the results.
//
// Errors: ErrNameInUse if a host is running; those of Remove.
func (f Files) Forget() error {
	return f.withLock(func() error {
		if err := f.Remove(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// recordFiles is the pattern of the names of files in a directory of results.
var recordFiles = lazyregexp.New(`^(console\.json(\.new)?|commands(\.old)?\.jsonl|log|output-[0-9]{20})$`)

// Clear removes the files of the results, and nothing else: the directory may be one that a project brings, with a home directory.
//
// Errors: a directory that is not private to this user (0700), or that is in one that is not, is refused.
func (f Files) Clear() error {
	for _, dir := range []string{filepath.Dir(f.Record), f.Record} {
		if err := Private(dir, "XDG_STATE_HOME"); err != nil {
			return err
		}
	}
	var err error
	all := filepath.Dir(f.Record)
	dir := projectfile.In(filepath.Dir(all), filepath.Base(all)+"/"+filepath.Base(f.Record))
	for _, name := range dir.Names("") {
		if recordFiles().MatchString(name) {
			err = errors.Join(err, dir.Remove(name))
		}
	}
	return err
}

// Remove is like Clear, and also removes the directory if it has no other files.
//
// Errors: those of Clear; that the directory has other files.
func (f Files) Remove() error {
	if err := f.Clear(); err != nil {
		return err
	}
	return os.Remove(f.Record)
}

// withLock calls do while no other process can claim the name. The lock of the results shows a host
// whose socket was removed; a host of an older version has only the lock beside its socket.
//
// Errors: ErrNameInUse if a host is running.
func (f Files) withLock(do func() error) error {
	if answers(f.Socket) {
		return ErrNameInUse
	}
	record, err := f.shareRecord() // a host without a socket is recognized before its new lock is in its way
	if err != nil {
		return err
	}
	_ = record.Close() // a new host locks it after the lock beside the socket, and so does this
	c, err := take(f, claimPatience, nil)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = &Claim{Files: f}, nil // there is no directory in which a lock could be held
	}
	if err != nil {
		return err
	}
	defer c.Release()
	if record, err = f.shareRecord(); err != nil {
		return err
	}
	defer func() { _ = record.Close() }() // which unlocks it
	return do()
}
