// Package scratch makes private directories that do not outlive their owner for
// long: the one whose process was killed is removed by the next process that makes
// one. New, and then Remove.
//
// Only what is provably ours is removed. Each directory holds a file with its own
// name in it, which the living owner keeps locked (flock(2)); the kernel unlocks it
// when the owner ends, however it ends. So neither a name nor a process id is
// believed: both may be anybody's.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Prefix is how the names of all directories begin.
const Prefix = "ripple-"

// ownerFile is the proof.
const ownerFile = ".ripple-owner"

// claim is what the proof says.
func claim(dir string) string {
	return "Private directory of a running ripple, removed when that has ended: " + filepath.Base(dir) + "\n"
}

// Dir is a private directory (0700) of this process.
type Dir struct {
	Path string // absolute if the parent was

	owner *os.File // locked; nil where the system has no such locks
}

// New makes a directory in parent, the system's directory for temporary files when
// empty. Its name is Prefix, kind, "-" and something random.
func New(parent, kind string) (*Dir, error) {
	path, err := os.MkdirTemp(parent, Prefix+kind+"-*")
	if err != nil {
		return nil, fmt.Errorf("making a private directory: %w", err)
	}
	d := &Dir{Path: path}
	if err := d.sign(); err != nil {
		_ = os.RemoveAll(path) // the error that matters is the other one
		return nil, fmt.Errorf("making a private directory: %w", err)
	}
	return d, nil
}

// sign locks the proof before it says anything: an unlocked one that is empty
// proves nothing.
func (d *Dir) sign() error {
	f, err := os.OpenFile(filepath.Join(d.Path, ownerFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := lock(f, wait); err != nil { // such a directory is never taken for a dead one's
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if _, err := f.WriteString(claim(d.Path)); err != nil {
		return errors.Join(err, f.Close())
	}
	d.owner = f
	return nil
}

// Remove removes the directory and all that is in it. It may be called on nil and
// again. What cannot be removed now is left to a later process.
func (d *Dir) Remove() {
	if d == nil {
		return
	}
	removeSigned(d.Path)
	if d.owner != nil {
		_ = d.owner.Close() // only now: it holds the lock
	}
}

// removeSigned removes the proof last: without it nobody could go on later.
func removeSigned(dir string) {
	entries, _ := os.ReadDir(dir) // what was read counts
	whole := true
	for _, e := range entries {
		if e.Name() != ownerFile && os.RemoveAll(filepath.Join(dir, e.Name())) != nil {
			whole = false
		}
	}
	if whole {
		_ = os.RemoveAll(dir) // if somebody adds to it meanwhile, it stays
	}
}

var swept sync.Map // parents

// SweepOnce is Sweep for a parent's first time in this process: what was left
// before it needs one look.
func SweepOnce(parent string, age time.Duration) {
	if _, done := swept.LoadOrStore(parent, true); !done {
		Sweep(parent, age)
	}
}

// Sweep removes the directories in parent (empty: the system's) whose owner has
// ended and that are at least so old.
func Sweep(parent string, age time.Duration) {
	if parent == "" {
		parent = os.TempDir()
	}
	f, err := os.Open(parent)
	if err != nil {
		return // there is nothing
	}
	names, _ := f.Readdirnames(-1) // what was read counts
	_ = f.Close()                  // only read from
	for _, name := range names {
		if strings.HasPrefix(name, Prefix) {
			removeDead(filepath.Join(parent, name), age)
		}
	}
}

func removeDead(dir string, age time.Duration) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !private(info) || age > 0 && time.Since(info.ModTime()) < age {
		return
	}
	f, err := openProof(filepath.Join(dir, ownerFile))
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f, try) != nil {
		return // the owner lives
	}
	said := make([]byte, len(claim(dir))+1)
	n, _ := f.Read(said) // what was read counts
	if string(said[:n]) == claim(dir) {
		removeSigned(dir)
	}
}
