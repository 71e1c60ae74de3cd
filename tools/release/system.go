package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // a format registers itself
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// systemPackages are those of Linux distributions. They run no script and need no other
// package.
func (r *release) systemPackages(p platform, binary string) (made []string, err error) {
	if p.os != "linux" {
		return nil, nil
	}
	contents, err := r.contents(binary)
	if err != nil {
		return nil, err
	}
	for _, format := range []string{"deb", "rpm", "apk"} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "ripple", Arch: p.arch, Platform: "linux", Version: r.version, License: "MIT", MTime: r.date,
			Maintainer: r.contact, Section: "utils", Priority: "optional",
			Description:  "Drives any interactive program from one YAML file\nShells, REPLs, debuggers and coding agents, for people, scripts and AI clients.",
			Overridables: nfpm.Overridables{Contents: contents},
		})
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return nil, fmt.Errorf("%s: %w", format, err)
		}
		packager, err := nfpm.Get(format)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(r.out, packager.ConventionalFileName(info))
		if err := create(file, func(w io.Writer) error { return packager.Package(info, w) }); err != nil {
			return nil, fmt.Errorf("%s: %w", format, err)
		}
		made = append(made, file)
	}
	return made, nil
}

// contents are the files of a package, where distributions look for them.
func (r *release) contents(binary string) (files.Contents, error) {
	at := func(from, to string, mode int64) *files.Content {
		return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: os.FileMode(0o644 | mode), MTime: r.date, Owner: "root", Group: "root"}}
	}
	shells := filepath.Join(r.manual, "completions")
	list := files.Contents{
		at(binary, "/usr/bin/ripple", 0o755),
		at(filepath.Join(r.repo, "LICENSE"), "/usr/share/doc/ripple/copyright", 0),
		at(filepath.Join(r.repo, "skills", "ripple", "SKILL.md"), "/usr/share/doc/ripple/SKILL.md", 0),
		at(filepath.Join(shells, "ripple.bash"), "/usr/share/bash-completion/completions/ripple", 0),
		at(filepath.Join(shells, "_ripple"), "/usr/share/zsh/vendor-completions/_ripple", 0),
		at(filepath.Join(shells, "ripple.fish"), "/usr/share/fish/vendor_completions.d/ripple.fish", 0),
	}
	pages, err := filepath.Glob(filepath.Join(r.manual, "man", "*.1"))
	for _, page := range pages {
		list = append(list, at(page, "/usr/share/man/man1/"+filepath.Base(page), 0))
	}
	return list, err
}
