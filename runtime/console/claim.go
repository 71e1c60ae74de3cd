package console

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// claim is the right to a console's name: a lock that the host holds for life.
type claim struct {
	files files
	lock  *flock.Flock
}

// errTaken is a name that a living host holds.
var errTaken = errors.New("a console of that name is running")

// take claims a name. What a killed host left of it is removed first. It waits for at
// most patience when the name is held and nobody listens there.
//
// Errors: errTaken.
func take(f files, patience time.Duration) (*claim, error) {
	for {
		c := &claim{files: f, lock: flock.New(f.lock, flock.SetPermissions(0o600))}
		got, err := c.lock.TryLock()
		if err == nil && !got && patience > 0 && !answers(f.socket) {
			got, err = c.patiently(patience)
		}
		if err != nil {
			return nil, fmt.Errorf("claiming the name: %w", err)
		}
		if !got {
			_ = c.lock.Close() // nothing is locked
			return nil, errTaken
		}
		if isUnder(c.lock, f.lock) {
			_ = os.Remove(f.socket) // its host is dead: we have its lock
			return c, nil
		}
		_ = c.lock.Close() // the one before removed the file between our opening and locking it
	}
}

// claimPatience is how long a name may be held by what is no host: somebody who
// looks whether one lives, or a program that a killed host was just starting.
const claimPatience = 500 * time.Millisecond

func (c *claim) patiently(patience time.Duration) (got bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if got, err = c.lock.TryLockContext(ctx, patience/100); ctx.Err() != nil {
		return got, nil
	}
	return got, err
}

// takeName claims the name of a console that is started; without one, the first free one
// of the adapter's name and a number.
//
// Errors: *Fault: FaultTaken.
func takeName(getenv func(string) string, spec *Spec) (*claim, error) {
	if spec.Name != "" {
		f, err := places(getenv, spec.Name)
		if err != nil {
			return nil, err
		}
		c, err := take(f, claimPatience)
		if errors.Is(err, errTaken) {
			return nil, fault(FaultTaken, "a console named %s is running already", spec.Name)
		}
		return c, err
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", plainName(spec.Adapter), n)
		f, err := places(getenv, name)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(f.record); err == nil {
			continue // it lives, or its results can still be read
		}
		c, err := take(f, 0)
		if errors.Is(err, errTaken) {
			continue
		}
		spec.Name = name
		return c, err
	}
}

// answers says whether a host listens.
func answers(socket string) bool {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	_ = conn.Close() // it was only a knock
	return true
}

// isUnder says that the locked file is the one of that name.
func isUnder(lock *flock.Flock, name string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(held, named)
}

// release gives the name back; nothing is left of it.
func (c *claim) release() {
	_ = os.Remove(c.files.socket)
	_ = os.Remove(c.files.lock)
	_ = c.lock.Close()
}

// dead says whether no living host has the name, and removes what a killed one left
// in the directory of sockets.
func dead(f files) bool { return bury(f, func() error { return nil }) == nil }

// bury is dead, and does something while nobody else can take the name.
//
// Errors: errTaken when a host lives.
func bury(f files, do func() error) error {
	if answers(f.socket) {
		return errTaken
	}
	c, err := take(f, claimPatience)
	if err != nil {
		return err
	}
	defer c.release()
	return do()
}

// forget is bury, and removes the results, too.
func forget(f files) error { return bury(f, func() error { return os.RemoveAll(f.record) }) }
