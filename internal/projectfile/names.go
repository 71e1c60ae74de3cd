package projectfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Mkdir makes a directory in d, and its missing parents below the base. If the directory
// exists, Mkdir does nothing and returns nil.
func (d Dir) Mkdir(name string, mode fs.FileMode) error {
	if info, err := d.Stat(name); err == nil && !info.IsDir() {
		return notDirectory(d.Path(name))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	root, err := os.OpenRoot(d.base)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is pending
	err = root.MkdirAll(filepath.FromSlash(d.name(name)), mode)
	if err == nil && mode&groupWrites != 0 && d.name(name) != "." && d.shared(path.Dir(name)) {
		if info, err := root.Stat(filepath.FromSlash(d.name(name))); err == nil {
			_ = root.Chmod(filepath.FromSlash(d.name(name)), info.Mode().Perm()|groupWrites|fs.ModeSetgid) // as in OpenFile
		}
	}
	return err
}

// Rename renames a file of the directory.
func (d Dir) Rename(from, to string) error {
	return d.do(from, func(root *os.Root) error {
		return root.Rename(filepath.FromSlash(d.name(from)), filepath.FromSlash(d.name(to)))
	})
}

// Remove removes a file, a link or a pipe.
func (d Dir) Remove(name string) error {
	return d.do(name, func(root *os.Root) error { return root.Remove(filepath.FromSlash(d.name(name))) })
}

// do calls change if no part of the path to the file's directory is a link.
func (d Dir) do(name string, change func(*os.Root) error) error {
	if _, err := d.Stat(path.Dir(filepath.ToSlash(name))); err != nil {
		return err
	}
	root, err := os.OpenRoot(d.base)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is pending
	return change(root)
}

// Names returns the names in a subdirectory of d, or nil if it cannot be listed.
func (d Dir) Names(name string) (list []string) {
	if info, err := d.Stat(name); err != nil || !info.IsDir() {
		return nil
	}
	root, err := os.OpenRoot(d.base)
	if err != nil {
		return nil
	}
	defer root.Close() // only read from
	entries, _ := fs.ReadDir(root.FS(), d.name(name))
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
