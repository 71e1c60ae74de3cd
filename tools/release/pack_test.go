package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
	"testing/fstest"
	"time"
)

// A pack has the files below its name and nothing else, and depends on nothing but their names and contents.
func TestPack(t *testing.T) {
	files := func(at time.Time, mode os.FileMode) fstest.MapFS {
		return fstest.MapFS{
			"data/a/b.txt": {Data: []byte("b\n"), ModTime: at, Mode: mode},
			"data/c.txt":   {Data: nil, ModTime: at, Mode: mode},
			"other.txt":    {Data: []byte("other"), ModTime: at, Mode: mode},
		}
	}
	var first, second bytes.Buffer
	if err := pack(&first, files(time.Unix(1e9, 0), 0o644), "data"); err != nil {
		t.Fatal(err)
	}
	if err := pack(&second, files(time.Unix(2e9, 0), 0o600), "data"); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("equal files make different packs")
	}
	r, err := gzip.NewReader(&first)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(unpacked, "data/a/b.txt", "data/c.txt"); err != nil {
		t.Error(err)
	}
	if n := len(unpacked.File); n != 2 {
		t.Errorf("the pack has %d files, want 2", n)
	}
	if err := pack(io.Discard, fstest.MapFS{}, "data"); err == nil {
		t.Error("a pack of nothing was made")
	}
}
