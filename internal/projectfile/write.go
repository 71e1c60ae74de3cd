package projectfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Replace gives a file anywhere a text and permissions, whole or not at all; the file may be missing.
func Replace(file string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".")
	if err != nil {
		return err
	}
	return finish(f, text, &mode, func() error { return os.Rename(f.Name(), file) }, func() error { return os.Remove(f.Name()) })
}

// ReplaceIn is [Replace] for a file in a directory that is open, which no link can exchange. name has no separator.
func ReplaceIn(dir *os.Root, name string, text []byte, mode fs.FileMode) error {
	temporary := "." + name + "." + rand.Text()[:10]
	f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return finish(f, text, &mode, func() error { return dir.Rename(temporary, name) }, func() error { return dir.Remove(temporary) })
}

// finish writes a temporary file and then gives it its name; if it cannot, it removes the file.
func finish(f *os.File, text []byte, mode *fs.FileMode, rename, remove func() error) error {
	_, err := f.Write(text)
	if mode != nil {
		err = errors.Join(err, f.Chmod(*mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = rename()
	}
	if err != nil {
		return errors.Join(err, remove())
	}
	return nil
}

// CreateNew writes a file of a person's that is not there, whole or not at all, with the
// permissions that new files have. Errors: fs.ErrExist, *RefusedError, those of the system.
func (d Dir) CreateNew(name string, text []byte) error {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, d.Remove(name))
	}
	return nil
}

// Replace gives a file that is there another text, whole or not at all, and keeps its
// permissions.
func (d Dir) Replace(name string, text []byte) error {
	info, err := d.Stat(name)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	return d.rewrite(name, path.Join(path.Dir(name), "."+path.Base(name)+"."), text, &mode)
}

// Write gives a file a text, whole or not at all. Until then the text is in a file whose name begins with prefix.
func (d Dir) Write(name, prefix string, text []byte) error {
	return d.rewrite(name, prefix, text, nil)
}

func (d Dir) rewrite(name, prefix string, text []byte, mode *fs.FileMode) error {
	f, temporary, err := d.CreateTemp(prefix, "")
	if err != nil {
		return err
	}
	return finish(f, text, mode, func() error { return d.Rename(temporary, name) }, func() error { return d.Remove(temporary) })
}
