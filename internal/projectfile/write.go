package projectfile

import (
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
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
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
	_, err = f.Write(text)
	if mode != nil {
		err = errors.Join(err, f.Chmod(*mode))
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = d.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, d.Remove(temporary))
	}
	return nil
}
