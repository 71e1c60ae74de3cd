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

// take claims a name. What a killed host left of it is removed first.
//
// Errors: errTaken.
func take(f files) (*claim, error) {
	for {
		c := &claim{files: f, lock: flock.New(f.lock, flock.SetPermissions(0o600))}
		got, err := c.lock.TryLock()
		if err == nil && !got && !answers(f.socket) {
			got, err = c.patiently()
		}
		if err != nil {
			return nil, fmt.Errorf("claiming the name: %w", err)
		}
		if !got {
			_ = c.lock.Close() // nothing is locked
			return nil, errTaken
		}
		if c.current() {
			_ = os.Remove(f.socket) // its host is dead: we have its lock
			return c, nil
		}
		_ = c.lock.Close() // the one before removed the file between our opening and locking it
	}
}

// claimPatience is how long a name may be held by what is no host: somebody who
// looks whether one lives, or a program that a killed host was just starting.
const claimPatience = 500 * time.Millisecond

func (c *claim) patiently() (got bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), claimPatience)
	defer cancel()
	if got, err = c.lock.TryLockContext(ctx, claimPatience/100); ctx.Err() != nil {
		return got, nil
	}
	return got, err
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

// current says that the locked file is the one under that name.
func (c *claim) current() bool {
	held, err := c.lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(c.files.lock)
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
func dead(f files) bool {
	if answers(f.socket) {
		return false
	}
	c, err := take(f)
	if err != nil {
		return false
	}
	c.release()
	return true
}
