package ui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WritePrivate writes a file whole or leaves the one that was there. Only its owner may
// read it: it has whatever a program has printed.
func WritePrivate(path string, text []byte) error {
	if at, err := os.Lstat(path); err == nil && !at.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is no file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".ripple-page-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
