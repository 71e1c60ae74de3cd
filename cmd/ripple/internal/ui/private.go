package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/ripple/internal/projectfile"
)

// CreatePrivate creates an empty file, or truncates an existing one; afterwards only its owner can
// read it. A path in a project follows links only within it, as for CreateFile. A
// special file, such as /dev/stdout, is opened unchanged; a pipe that nobody reads is an error.
func CreatePrivate(path string) (*os.File, error) {
	f, err := openPrivate(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		if info.Mode().Perm()&0o077 != 0 {
			err = f.Chmod(0o600)
		}
		err = errors.Join(err, f.Truncate(0))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func openPrivate(path string) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | nonBlock
	dir, name, err := projectOf(path)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return os.OpenFile(path, flags, 0o600)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // nothing is pending
	f, err := root.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, cmp.Or(LeadsOut(path), err)
	}
	return f, nil
}

// WritePrivate writes a file atomically. Only its owner can read it, because it contains a
// program's output. A path in a project follows links only within it.
func WritePrivate(path string, text []byte) error {
	if at, err := os.Lstat(path); err == nil && !at.Mode().IsRegular() {
		return cmp.Or(Outside(path), error(&fs.PathError{Op: "write", Path: path, Err: errors.New("it is not a regular file")}))
	}
	dir, name, err := projectOf(path)
	if err != nil {
		return err
	}
	if dir == "" {
		return projectfile.Replace(path, text, 0o600)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is pending
	parent, err := root.OpenRoot(filepath.Dir(name))
	if err != nil {
		return cmp.Or(Outside(path), err)
	}
	defer parent.Close() // nothing is pending
	return projectfile.ReplaceIn(parent, filepath.Base(name), text, 0o600)
}
