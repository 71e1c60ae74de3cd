// Package adapters holds the adapter files that come with ripple.
package adapters

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

//go:embed *.yaml ready
var files embed.FS

// FS has the adapters as *.yaml at its top, their ready-made forms in ready, and their
// test data below testdata. That is kept compressed: it can be opened by its name, and
// is not listed.
var FS fs.ReadFileFS = withTestdata{files}

const testdata = "testdata/"

type withTestdata struct{ embed.FS }

func (f withTestdata) Open(name string) (fs.File, error) {
	if !strings.HasPrefix(name, testdata) {
		return f.FS.Open(name)
	}
	dir, file, _ := strings.Cut(strings.TrimPrefix(name, testdata), "/")
	packed, err := f.FS.ReadFile("ready/" + dir + ".zip")
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z.Open(file)
}

func (f withTestdata) ReadFile(name string) ([]byte, error) {
	if !strings.HasPrefix(name, testdata) {
		return f.FS.ReadFile(name)
	}
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
