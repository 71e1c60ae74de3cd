package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/ripple/internal/projectfile"
)

// CreateFile creates a file, with the directories above it, whole or not at all. A path in a project follows links only within
// the project, see projectOf; any other path is where the user wants it. The mode is less the umask.
// Errors: fs.ErrExist, *OutsideError.
func CreateFile(path string, text []byte, mode fs.FileMode) error {
	dir, name, err := projectOf(path)
	if err != nil {
		return err
	}
	if dir != "" {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close() // nothing is pending
		if err := createIn(root, name, text, mode); err != nil {
			return cmp.Or(Outside(path), err)
		}
		return nil
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

// OutsideError is returned for a file of a project that a link would create elsewhere.
type OutsideError struct{ Path, Project, Target string }

func (e *OutsideError) Error() string {
	return e.Path + " was not written: a symbolic link leads out of " + e.Project + ", to " + e.Target
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

// projectOf returns the directory out of which no link may lead from a path that the user names, and the path's name there, because a
// foreign project may have links to anywhere: the repository that has the file, or the current directory if the file is below it,
// see projectfile.ProjectOf. It returns "" if neither is the case, or if a repository contains the home directory.
// Errors: those of projectfile.Named.
func projectOf(path string) (dir, name string, err error) {
	path, dir, here, err := projectfile.Named(path)
	if err != nil || dir == "" {
		return "", "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case err != nil:
		real = dir // as if its path without links is too long for the system
	case dir != here && projectfile.HoldsHome(real):
		return "", "", nil
	}
	name, is := projectfile.Relative(dir, path)
	if !is {
		return "", "", nil
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil { // os.Root follows no absolute link, also none that stays inside
		if inner, is := projectfile.Relative(real, parent); is {
			name = inner + "/" + filepath.Base(path)
		}
	}
	return real, filepath.FromSlash(name), nil
}

// Outside returns an *OutsideError for a path in a project whose directory is elsewhere because of a link, and otherwise nil.
func Outside(path string) error { return outsideAt(path, filepath.Dir) }

// LeadsOut returns an *OutsideError for a path in a project that leads elsewhere because it is a link, or in one, and otherwise nil.
func LeadsOut(path string) error { return outsideAt(path, filepath.Clean) }

// outsideAt is Outside for an element of the path, and the directories above it.
func outsideAt(path string, element func(path string) string) error {
	project, name, err := projectOf(path)
	if err != nil || project == "" {
		return err
	}
	for dir := element(name); ; dir = filepath.Dir(dir) {
		target, exists := leadsTo(filepath.Join(project, dir))
		if _, inside := projectfile.Relative(project, target); exists && !inside {
			return &OutsideError{path, project, target}
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
