package projectfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Mkdir makes a directory of the directory, and those above it below the base. It is no
// error that it is there.
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
	return root.MkdirAll(filepath.FromSlash(d.name(name)), mode)
}

// Rename gives a file of the directory another name there.
func (d Dir) Rename(from, to string) error {
	return d.do(from, func(root *os.Root) error {
		return root.Rename(filepath.FromSlash(d.name(from)), filepath.FromSlash(d.name(to)))
	})
}

// Remove removes a file, or the link or pipe that has its name.
func (d Dir) Remove(name string) error {
	return d.do(name, func(root *os.Root) error { return root.Remove(filepath.FromSlash(d.name(name))) })
}

// do changes names in the directory of a file, where no link leads to.
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

// Names lists what a directory of the directory has; ones that cannot be listed have nothing.
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
