// Package adapters holds the adapter files that come with ripple.
package adapters

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

//go:generate go generate ../runtime/registry

//go:embed ready
var files embed.FS

// FS has the adapters as *.yaml at its top, their precompiled forms in ready, and their
// test data below testdata, which can be opened by name and is not listed. All are
// compressed by package registry, each text with its precompiled form as the dictionary,
// since both have the same words: uncompressed they would be a fifteenth of the binary.
var FS fs.ReadFileFS = packed{files}

const (
	testdata = "testdata/"
	ready    = "ready"
	deflated = ".deflate" // RFC 1951
)

type packed struct{ embed.FS }

func (p packed) Open(name string) (fs.File, error) {
	if !strings.HasPrefix(name, testdata) && !isAdapter(name) {
		return p.FS.Open(name)
	}
	text, err := p.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &file{*bytes.NewReader(text), info{name, int64(len(text))}}, nil
}

func (p packed) ReadFile(name string) ([]byte, error) {
	switch {
	case strings.HasPrefix(name, testdata):
		return p.testdata(name)
	case !isAdapter(name):
		return p.FS.ReadFile(name)
	}
	text, err := p.FS.ReadFile(ready + "/" + name + deflated)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	form, err := p.FS.ReadFile(ready + "/" + strings.TrimSuffix(name, ".yaml") + ".json" + deflated)
	if err != nil {
		return nil, err
	}
	dictionary, err := io.ReadAll(flate.NewReader(bytes.NewReader(form)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return io.ReadAll(flate.NewReaderDict(bytes.NewReader(text), dictionary))
}

// ReadDir lists the adapters at the top. Their sizes are not told.
func (p packed) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return p.FS.ReadDir(name)
	}
	kept, err := p.FS.ReadDir(ready)
	var list []fs.DirEntry
	for _, entry := range kept {
		if name, is := strings.CutSuffix(entry.Name(), deflated); is && isAdapter(name) {
			list = append(list, fs.FileInfoToDirEntry(info{name: name}))
		}
	}
	return list, err
}

func (p packed) testdata(name string) ([]byte, error) {
	dir, file, _ := strings.Cut(strings.TrimPrefix(name, testdata), "/")
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	archive, err := p.FS.ReadFile(ready + "/" + dir + ".testdata" + deflated)
	if err != nil {
		return nil, missing
	}
	var texts map[string]string
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(archive))).Decode(&texts); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text, there := texts[file]
	if !there {
		return nil, missing
	}
	return []byte(text), nil
}

func isAdapter(name string) bool {
	return strings.HasSuffix(name, ".yaml") && !strings.Contains(name, "/")
}

// file is an adapter, or test data, that was opened.
type file struct {
	bytes.Reader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

type info struct {
	name string
	size int64
}

func (i info) Name() string     { return i.name }
func (i info) Size() int64      { return i.size }
func (info) Mode() fs.FileMode  { return 0o444 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
