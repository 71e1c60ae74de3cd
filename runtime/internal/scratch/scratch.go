// Package scratch makes private directories; a directory whose process was killed is
// removed by the next process that makes one. New, and then Remove.
//
// A directory is removed only if its owner file shows that ripple made it. That file
// contains the directory's name and the time at which it was made (dirid.Of), which no archive
// or clone can bring, and the owner keeps it locked (flock(2)); the kernel
// unlocks it when the owner ends, however it ends. Names and process IDs are not trusted,
// because other programs may use the same ones. A directory without an owner file is
// removed only if it is empty and has the mode bit that New sets, and one with a repository stays.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/ripple/internal/dirid"
)

// Prefix begins the names of all directories.
const Prefix = "ripple-"

// ownerFile shows that a directory was made by ripple, and, by its lock, whether the process
// that made it runs.
const ownerFile = ".ripple-owner"

// claim returns the text of the owner file of a directory.
func claim(dir string) (string, error) {
	id, err := dirid.Of(dir)
	return "Private directory of a running ripple, removed when that has ended: " + filepath.Base(dir) + ", " + id + "\n", err
}

// Dir is a private directory (0700) of this process.
type Dir struct {
	Path string // absolute if the parent was

	made  fs.FileInfo // the directory that was made; another one may have its name by now
	owner *os.File    // the owner file, locked; nil if the system has no such locks
}

// New makes a directory in parent, or, if parent is empty, in the system's directory for
// temporary files. Its name is Prefix, kind, "-" and a random number. The error is a *TempError
// if that directory cannot be used.
func New(parent, kind string) (*Dir, error) {
	var err error
	for range attempts {
		var d *Dir
		if d, err = create(parent, kind); err == nil {
			return d, nil
		}
		if !errors.Is(err, errTaken) {
			break
		}
	}
	err = fmt.Errorf("making a private directory: %w", err)
	if temp, is := filepath.Abs(os.TempDir()); parent == "" || is == nil && parent == temp {
		err = &TempError{err}
	}
	return nil, err
}

// TempError is returned if the system's directory for temporary files cannot be used.
type TempError struct{ Err error }

func (e *TempError) Error() string {
	const fix = "a directory in which you can create files"
	if dir := os.Getenv("TMPDIR"); dir != "" {
		return fmt.Sprintf("%v: TMPDIR is %q: set it to %s, or unset it", e.Err, dir, fix)
	}
	return fmt.Sprintf("%v: set TMPDIR to %s", e.Err, fix)
}

func (e *TempError) Unwrap() error { return e.Err }

// attempts bounds how many names New tries.
const attempts = 100

// errTaken is returned if the name exists, or if another process swept the directory before it
// was signed.
var errTaken = errors.New("every name that was tried already exists")

func create(parent, kind string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	d := &Dir{Path: filepath.Join(parent, Prefix+kind+"-"+strconv.FormatUint(uint64(rand.Uint32()), 10))}
	err := os.Mkdir(d.Path, 0o700|unsigned)
	if errors.Is(err, fs.ErrExist) {
		return nil, errTaken
	}
	if err == nil {
		err = d.sign()
	}
	if err != nil && !errors.Is(err, errTaken) {
		_ = os.RemoveAll(d.Path) // the error that matters is the other one
	}
	return d, err
}

// unsigned is a mode bit that every directory has from its creation: an empty directory with it was
// left by a process that was killed before it signed, or while it removed the directory.
const unsigned = fs.ModeSticky

// sign creates the owner file and locks it before it writes to it. If a concurrent sweep removed
// the file first, the error is errTaken.
func (d *Dir) sign() error {
	f, err := os.OpenFile(filepath.Join(d.Path, ownerFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return errTaken
	}
	if err != nil {
		return err
	}
	if d.made, err = os.Lstat(d.Path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errTaken
		}
		return errors.Join(err, f.Close())
	}
	if err := lock(f, wait); err != nil { // without an owner file the directory is never swept
		return errors.Join(os.Chmod(d.Path, 0o700), f.Close(), os.Remove(f.Name()))
	}
	if !inPlace(f) {
		return errors.Join(errTaken, f.Close())
	}
	text, err := claim(d.Path)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	d.owner = f
	return nil
}

// Restore makes the directory again if it was removed, as programs do that clean directories for
// temporary files. Its former contents are lost. It fails if there is something else of its name,
// which may be another user's.
func (d *Dir) Restore() error {
	info, err := os.Lstat(d.Path)
	switch {
	case err == nil && info.IsDir() && !foreign(info):
		return nil
	case err == nil:
		return fmt.Errorf("%s was replaced by something that is not a private directory of this user: remove it, or start the program again", d.Path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.Mkdir(d.Path, 0o700|unsigned); err != nil {
		return fmt.Errorf("making the private directory again: %w", err)
	}
	former := d.owner
	if err := d.sign(); err != nil {
		_ = os.RemoveAll(d.Path) // the error that matters is the one above
		return fmt.Errorf("making the private directory again: %w", err)
	}
	if former != nil {
		_ = former.Close() // its file is gone
	}
	return nil
}

// inPlace reports whether the open file still has its name.
func inPlace(f *os.File) bool {
	there, err := os.Lstat(f.Name())
	opened, err1 := f.Stat()
	return err == nil && err1 == nil && os.SameFile(there, opened)
}

// Remove removes the directory and its contents. It may be called on nil, and again. Files
// that cannot be removed now are left to a later process.
func (d *Dir) Remove() {
	if d == nil {
		return
	}
	removeSigned(d.Path, d.made)
	if d.owner != nil {
		_ = d.owner.Close() // only now: it holds the lock
	}
}

// removeSigned removes the directory that made describes, its owner file last: without it no later process could finish
// the removal. If the path leads to another directory, nothing is removed: programs that can write in the parent, such
// as those in a box whose tree contains TMPDIR, can put a link there.
func removeSigned(dir string, made fs.FileInfo) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, made) {
		_ = root.Close() // only read from
		return
	}
	entries, _ := fs.ReadDir(root.FS(), ".") // what was read counts
	whole := true
	for _, e := range entries {
		if e.Name() != ownerFile && root.RemoveAll(e.Name()) != nil {
			whole = false
		}
	}
	if whole {
		_ = root.Remove(ownerFile) // there may be none
	}
	_ = root.Close() // only read from
	if whole {
		_ = os.Remove(dir) // if somebody adds to it meanwhile, it stays
	}
}

var swept sync.Map // parents

// SweepOnce calls Sweep the first time that this process names a parent.
func SweepOnce(parent string, age time.Duration) {
	if _, done := swept.LoadOrStore(parent, true); !done {
		Sweep(parent, age)
	}
}

// Sweep removes the directories in parent whose owner has ended and that were last modified at
// least age ago. If parent is empty it is the system's directory for temporary files.
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
		if isMade(name) {
			removeDead(filepath.Join(parent, name), age)
		}
	}
}

// isMade reports whether New makes directories with such a name.
func isMade(name string) bool {
	rest, prefixed := strings.CutPrefix(name, Prefix)
	kind, number, _ := strings.Cut(rest, "-")
	_, err := strconv.ParseUint(number, 10, 32)
	return prefixed && kind != "" && err == nil
}

func removeDead(dir string, age time.Duration) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !private(info) || age > 0 && time.Since(info.ModTime()) < age {
		return
	}
	signature := filepath.Join(dir, ownerFile)
	f, err := openOwnerFile(signature)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && info.Mode()&unsigned != 0 {
			_ = os.Remove(dir) // if it is empty
		}
		return
	}
	defer f.Close()
	if lock(f, try) != nil {
		return // the owner lives
	}
	text, err := claim(dir)
	if err != nil {
		return
	}
	said := make([]byte, len(text)+1)
	n, _ := f.Read(said) // what was read counts
	switch {
	case string(said[:n]) == text:
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil { // otherwise a user works in it
			removeSigned(dir, info)
		}
	case n == 0 && info.Mode()&unsigned != 0 && holdsOnlyOwnerFile(dir):
		_ = os.Remove(signature) // likewise: a process about to sign starts over
		_ = os.Remove(dir)
	}
}

func holdsOnlyOwnerFile(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 1
}
