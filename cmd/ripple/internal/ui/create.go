package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/ripple/internal/projectfile"
)

// CreateFile creates a file, with the directories above it, whole or not at all. A path below the
// current directory follows links only within it, since a foreign project may have links to
// anywhere; any other path is where the user wants it. The mode is less the umask.
// Errors: fs.ErrExist, *OutsideError.
func CreateFile(path string, text []byte, mode fs.FileMode) error {
	if filepath.IsLocal(path) {
		return createHere(path, text, mode)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, createFlags, mode)
	if err != nil {
		return err
	}
	if err := writeAll(f, text); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

const createFlags = os.O_WRONLY | os.O_CREATE | os.O_EXCL

func writeAll(f *os.File, text []byte) error {
	_, err := f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// OutsideError is returned for a file below the current directory that a link would create elsewhere.
type OutsideError struct{ Path, Target string }

func (e *OutsideError) Error() string {
	return e.Path + " was not written: a symbolic link leads out of this directory, to " + e.Target
}

func createHere(path string, text []byte, mode fs.FileMode) error {
	root, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer root.Close() // nothing is pending
	if err := createIn(root, path, text, mode); err != nil {
		return cmp.Or(Outside(path), err)
	}
	return nil
}

func createIn(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(name, createFlags, mode)
	if err != nil {
		return err
	}
	if err := writeAll(f, text); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// Outside returns an *OutsideError for a path below the current directory whose directory is
// elsewhere because of a link, and otherwise nil.
func Outside(path string) error { return leadsOut(path, filepath.Dir(path)) }

// leadsOut is Outside for the element of a path that is given, and the directories above it.
func leadsOut(path, element string) error {
	here, err := filepath.Abs(".")
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil || !filepath.IsLocal(path) {
		return nil
	}
	for dir := element; ; dir = filepath.Dir(dir) {
		target, exists := leadsTo(filepath.Join(here, dir))
		if _, inside := projectfile.Relative(here, target); exists && !inside {
			return &OutsideError{path, target}
		}
		if exists || dir == "." {
			return nil
		}
	}
}

// leadsTo returns where a path leads; a link that leads nowhere exists.
func leadsTo(path string) (target string, exists bool) {
	const maxLinks = 40 // of Linux
	for range maxLinks {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return target, true
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path, exists
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path, exists = target, true
	}
	return path, exists
}

// ReplaceFile replaces the contents of an existing file atomically and keeps its permissions. If
// path is a link, its target is replaced.
func ReplaceFile(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return projectfile.Replace(path, text, info.Mode().Perm())
}
