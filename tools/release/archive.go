package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goreleaser/fileglob"
	"github.com/goreleaser/goreleaser/v2/pkg/archive"
	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// archives packs each binary with what belongs beside it, by goreleaser's own writers.
func (r *release) archives() error {
	for _, a := range r.Archives {
		for _, binary := range r.of(a.IDs) {
			for _, format := range formats(a, binary.platform) {
				if err := r.archive(a, binary, format); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func formats(a config.Archive, p platform) []string {
	for _, o := range a.FormatOverrides {
		if o.Goos == p.os {
			return o.Formats
		}
	}
	return a.Formats
}

func (r *release) archive(a config.Archive, binary artifact, format string) error {
	name, err := r.render(a.NameTemplate, binary.platform.fields())
	if err != nil {
		return err
	}
	entries, err := r.entries(a.Files)
	if err != nil {
		return err
	}
	info := a.BuildsInfo
	info.Mode = 0o755
	entries = append(entries, config.File{Source: binary.file, Destination: filepath.Base(binary.file), Info: info})
	file := filepath.Join(r.out, name+"."+format)
	r.made = append(r.made, artifact{id: binary.id, platform: binary.platform, file: file})
	return create(file, func(w io.Writer) error {
		to, err := archive.New(w, format)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := to.Add(e); err != nil {
				return err
			}
		}
		return to.Close()
	})
}

// entries are the files that patterns stand for, in the order of their names in the archive.
func (r *release) entries(files []config.File) ([]config.File, error) {
	var all []config.File
	for _, f := range files {
		found, err := fileglob.Glob(f.Source)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("an archive is to have %s: there is no such file", f.Source)
		}
		if f.Info.ParsedMTime, err = r.time(f.Info.MTime); err != nil {
			return nil, err
		}
		for _, file := range found {
			to := cmp.Or(f.Destination, file)
			if f.StripParent {
				to = filepath.Join(f.Destination, filepath.Base(file))
			}
			all = append(all, config.File{Source: file, Destination: to, Info: f.Info})
		}
	}
	slices.SortFunc(all, func(a, b config.File) int { return cmp.Compare(a.Destination, b.Destination) })
	return all, nil
}

// time is that of a template; none: zero.
func (r *release) time(text string) (time.Time, error) {
	text, err := r.render(text, nil)
	if err != nil || text == "" {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, text)
}

func create(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
