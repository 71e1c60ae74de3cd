package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// entry is a file in an archive.
type entry struct {
	name, from string
	content    []byte // where from is empty
	mode       int64
}

func (e entry) read() ([]byte, error) {
	if e.from == "" {
		return e.content, nil
	}
	return os.ReadFile(e.from)
}

// archive is a tar, for Windows a zip: the binary, the licence, and what belongs beside.
func (r *release) archive(p platform, binary string) ([]string, error) {
	entries := []entry{
		{name: p.binary(), from: binary, mode: 0o755},
		{name: "LICENSE", from: filepath.Join(r.repo, "LICENSE"), mode: 0o644},
		{name: "README.md", from: filepath.Join(r.repo, "README.md"), mode: 0o644},
		{name: "SKILL.md", from: filepath.Join(r.repo, "skills", "ripple", "SKILL.md"), mode: 0o644},
	}
	for _, dir := range []string{"man", "completions"} {
		files, err := filepath.Glob(filepath.Join(r.manual, dir, "*"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			entries = append(entries, entry{name: dir + "/" + filepath.Base(f), from: f, mode: 0o644})
		}
	}
	name := filepath.Join(r.out, "ripple-"+r.version+"-"+p.String())
	if p.os == "windows" {
		return []string{name + ".zip"}, r.zip(name+".zip", entries)
	}
	return []string{name + ".tar.gz"}, r.tar(name+".tar.gz", "", entries)
}

// tar writes entries below a directory, in the order of their names.
func (r *release) tar(file, below string, entries []entry) error {
	return create(file, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, e := range inOrder(entries) {
			content, err := e.read()
			if err != nil {
				return err
			}
			head := &tar.Header{Typeflag: tar.TypeReg, Name: below + e.name, Mode: e.mode, Size: int64(len(content)), ModTime: r.date, Format: tar.FormatUSTAR}
			if err := t.WriteHeader(head); err != nil {
				return err
			}
			if _, err := t.Write(content); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

func (r *release) zip(file string, entries []entry) error {
	return create(file, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range inOrder(entries) {
			content, err := e.read()
			if err != nil {
				return err
			}
			head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.date}
			head.SetMode(os.FileMode(e.mode))
			in, err := z.CreateHeader(head)
			if err != nil {
				return err
			}
			if _, err := in.Write(content); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func inOrder(entries []entry) []entry {
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	return entries
}

func create(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
