package projectfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenInside opens path, a regular file of the project in dir, for reading. It follows links, but
// not out of the project: out of the repository that contains dir, or out of dir if none does. An
// error message about such a file would show the text of another one. This holds even if the file
// is replaced by a link meanwhile. Errors: *RefusedError, those of the system.
func OpenInside(dir, path string) (*os.File, error) {
	top, name, err := locate(dir, path)
	if err != nil {
		return nil, err
	}
	return openBelow(top, name)
}

// ReadInside returns what a file of the project in dir has, at most limit bytes. Errors: those of
// OpenInside.
func ReadInside(dir, path string, limit int64) ([]byte, error) {
	f, err := OpenInside(dir, path)
	if err != nil {
		return nil, err
	}
	return readAll(f, limit)
}

// FS returns the files below base, a directory of the project in dir. It opens them with OpenInside.
func FS(dir, base string) fs.FS { return inside{dir, base} }

type inside struct{ dir, base string }

func (i inside) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := OpenInside(i.dir, filepath.Join(i.base, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return f, nil
}

// locate returns the top of the project in dir, and the name that a file has below it; neither
// contains a link.
func locate(dir, path string) (top, name string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if top, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", err
	}
	for at := top; ; at = filepath.Dir(at) {
		if IsRepository(at) {
			top = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if _, statErr := os.Stat(path); statErr == nil {
			return "", "", &RefusedError{path, "is a symbolic link to something without a path, such as a program's input", "put a regular file there", nil}
		}
		return "", "", err
	}
	name, is := Relative(top, real)
	if !is {
		return "", "", &RefusedError{path, "is a symbolic link, or in one, that leads out of the project, to " + real, "replace the link by a copy of the file", nil}
	}
	return top, filepath.FromSlash(name), nil
}

// openBelow opens a regular file through an os.Root, so that a link that was made since locate
// cannot lead out of top.
func openBelow(top, name string) (*os.File, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close() // what was opened by it stays open
	path := filepath.Join(top, name)
	check := func(info fs.FileInfo, err error) error {
		if err == nil && info.IsDir() {
			return &RefusedError{path, "is a directory", "move it away, and put a file there", syscall.EISDIR}
		}
		if err == nil {
			err = refuse(path, info)
		}
		return err
	}
	if err := check(root.Stat(name)); err != nil { // opening a device may have an effect
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	if err := check(f.Stat()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// IsRepository reports whether git would treat dir as the top of a repository. An empty .git, as
// a sandbox creates to block one, does not count.
func IsRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return !info.IsDir() || err == nil
}
