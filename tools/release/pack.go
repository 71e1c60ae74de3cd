package main

import (
	"archive/zip"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func packCommand(args []string) error {
	flags := flag.NewFlagSet("pack", flag.ContinueOnError)
	out := flags.String("o", "", "the archive to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 || *out == "" {
		return fmt.Errorf("usage: pack -o FILE DIRECTORY NAME")
	}
	return create(*out, func(w io.Writer) error { return pack(w, os.DirFS(flags.Arg(0)), flags.Arg(1)) })
}

// pack writes the files below name in dir as a zip file in a gzip stream. The zip file does not
// compress: all files are compressed together, because they are much alike. Equal files make equal archives.
func pack(w io.Writer, dir fs.FS, name string) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(compressed)
	err = fs.WalkDir(dir, name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		f, err := archive.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store})
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}
