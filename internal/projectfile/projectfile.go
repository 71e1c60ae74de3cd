// Package projectfile opens the files that ripple keeps in a project. The author of the
// project, or an agent that works in it, may have replaced them: by a link to one of the
// user's files, a pipe that nobody writes to, a device, or a file that fills the memory.
// Below a [Dir] only regular files are opened, and no symbolic link is followed in any part
// of a name.
//
// The functions [Open] and [Read] are for files whose location the user chooses, such as
// ripple.yml: they follow links, but also open only regular files.
package projectfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// MaxText is the maximum size of a file that the user writes, in bytes.
const MaxText = 16 << 20

// RefusedError is returned for a file that is not opened.
type RefusedError struct {
	Path string
	Why  string // why it is refused, such as "is a device"
	Do   string // what the user can do
	Err  error  // syscall.EISDIR for a directory; may be nil
}

func (e *RefusedError) Error() string { return e.Path + " " + e.Why + ": " + e.Do }
func (e *RefusedError) Unwrap() error { return e.Err }

// Dir is a directory of files. How its base is reached is the user's choice; nothing
// below the base is trusted.
type Dir struct{ base, under string }

// In returns the directory named under in base, which may be ".". Names are separated by
// slashes.
func In(base, under string) Dir { return Dir{base, path.Clean(under)} }

// Path returns where a file is, for messages.
func (d Dir) Path(name string) string {
	return filepath.Join(d.base, filepath.FromSlash(d.name(name)))
}

func (d Dir) name(name string) string { return path.Join(d.under, filepath.ToSlash(name)) }

// Stat is like os.Lstat for a file of the directory; "" is the directory itself. Errors:
// *RefusedError if the file is neither a regular file nor a directory, or if an element of its
// path is not a directory; those of os.Lstat.
func (d Dir) Stat(name string) (info fs.FileInfo, err error) {
	full := d.name(name)
	if full == "." {
		return os.Stat(d.base)
	}
	for i := 0; i <= len(full); i++ {
		if i < len(full) && full[i] != '/' {
			continue
		}
		at := filepath.Join(d.base, filepath.FromSlash(full[:i]))
		if info, err = os.Lstat(at); err != nil {
			return nil, err
		}
		if err := refuse(at, info); err != nil {
			return nil, err
		}
		if i < len(full) && !info.IsDir() {
			return nil, notDirectory(at)
		}
	}
	return info, nil
}

func notDirectory(at string) error {
	return &RefusedError{at, "is a file, and ripple keeps files in a directory of that name", "move it away", nil}
}

// Check returns a *RefusedError if the directory exists and cannot be used.
func (d Dir) Check() error {
	info, err := d.Stat("")
	if _, refused := errors.AsType[*RefusedError](err); refused {
		return err
	}
	if err == nil && !info.IsDir() {
		return notDirectory(d.Path(""))
	}
	return nil
}

// Exists reports whether something has a name in the directory, whatever it is.
func (d Dir) Exists(name string) bool {
	_, err := d.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// refuse returns the error for what is neither a file nor a directory.
func refuse(at string, info fs.FileInfo) error {
	const do = "remove it; ripple opens only regular files there"
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return &RefusedError{at, "is a symbolic link, which may lead anywhere", do, nil}
	case mode&(fs.ModeNamedPipe|fs.ModeSocket) != 0:
		return &RefusedError{at, "is a pipe or socket and should be a file", "remove it", nil}
	case !mode.IsRegular() && !mode.IsDir():
		return &RefusedError{at, "is a device", do, nil}
	}
	return nil
}

// Open opens a file for reading.
func (d Dir) Open(name string) (*os.File, error) { return d.OpenFile(name, os.O_RDONLY, 0) }

// Create opens an empty file for reading and writing. The umask decides who may read and write
// new files, so that a group can share a project.
func (d Dir) Create(name string) (*os.File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Update opens a file for reading and writing, which is created where it is missing.
func (d Dir) Update(name string) (*os.File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
}

// CreateTemp creates a file whose name begins with prefix and ends with suffix, and
// returns its name in the directory.
func (d Dir) CreateTemp(prefix, suffix string) (f *os.File, name string, err error) {
	name = prefix + rand.Text() + suffix
	f, err = d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	return f, name, err
}

// maxTries limits how often a file is opened again because it was replaced meanwhile.
const maxTries = 100

// OpenFile is os.OpenFile for a file of the directory. Errors: *RefusedError, those of the
// system.
func (d Dir) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	for range maxTries {
		f, err := d.try(name, flag, mode)
		if !errors.Is(err, errChanged) {
			return f, err
		}
	}
	return nil, fmt.Errorf("opening %s: %w", d.Path(name), errChanged)
}

var (
	errChanged = errors.New("it is replaced again and again")
	errOutside = errors.New("the name leads out of the directory")
)

func (d Dir) try(name string, flag int, mode fs.FileMode) (*os.File, error) {
	info, err := d.Stat(name)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && (!missing || flag&os.O_CREATE == 0):
		return nil, err
	case missing:
		f, err := openBelow(d.base, filepath.FromSlash(d.name(name)), flag|os.O_EXCL|nonBlock, mode)
		if errors.Is(err, fs.ErrExist) && flag&os.O_EXCL == 0 {
			err = errChanged
		}
		if err == nil && mode&groupWrites != 0 && d.shared(path.Dir(name)) {
			if info, err := f.Stat(); err == nil {
				_ = f.Chmod(info.Mode().Perm() | groupWrites) // a file system without modes has no umask either
			}
		}
		return f, err
	case flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: d.Path(name), Err: fs.ErrExist}
	case info.IsDir():
		return nil, &RefusedError{d.Path(name), "is a directory", "move it away; ripple keeps a file of that name", syscall.EISDIR}
	}
	f, err := openBelow(d.base, filepath.FromSlash(d.name(name)), flag&^(os.O_CREATE|os.O_TRUNC)|nonBlock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, err
	}
	if err := sameFile(f, info, flag); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// shared reports whether a group shares a directory: it may write there, and new files belong to it (setgid). Files
// made by a member then need to be writable for the others, whatever the member's umask is.
func (d Dir) shared(name string) bool {
	info, err := d.Stat(name)
	return err == nil && info.Mode()&fs.ModeSetgid != 0 && info.Mode()&groupWrites == groupWrites
}

const groupWrites fs.FileMode = 0o060 // and reads

// sameFile checks that the opened file is the one that was examined, and truncates it if the
// flags say so.
func sameFile(f *os.File, seen fs.FileInfo, flag int) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !os.SameFile(seen, info):
		return errChanged
	case flag&(os.O_WRONLY|os.O_RDWR) != 0 && links(info) > 1:
		return &RefusedError{f.Name(), "is a file that has another name, too (a hard link)", "copy it, so that writing to it changes no other file", nil}
	case flag&os.O_TRUNC != 0:
		return f.Truncate(0)
	}
	return nil
}

// Read returns what a file has, at most limit bytes. Errors: *RefusedError, those of the
// system.
func (d Dir) Read(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	return readAll(f, limit)
}
