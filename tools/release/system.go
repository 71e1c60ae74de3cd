package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // a format registers itself
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// systemPackages are those of Linux distributions.
func (r *release) systemPackages() error {
	for _, n := range r.NFPMs {
		for _, binary := range r.of(n.IDs) {
			if binary.platform.os != "linux" {
				continue
			}
			for _, format := range n.Formats {
				if err := r.systemPackage(n, binary, format); err != nil {
					return fmt.Errorf("%s for %s: %w", format, binary.platform, err)
				}
			}
		}
	}
	return nil
}

func (r *release) systemPackage(n config.NFPM, binary artifact, format string) error {
	info, err := r.describe(n, binary, format)
	if err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	name, err := r.render(n.FileNameTemplate, fields{"ConventionalFileName": packager.ConventionalFileName(info)})
	if err != nil {
		return err
	}
	file := filepath.Join(r.out, name)
	r.made = append(r.made, artifact{id: binary.id, platform: binary.platform, file: file})
	return create(file, func(w io.Writer) error { return packager.Package(info, w) })
}

func (r *release) describe(n config.NFPM, binary artifact, format string) (*nfpm.Info, error) {
	at, err := r.time(n.MTime)
	if err != nil {
		return nil, err
	}
	maintainer, err := r.render(n.Maintainer, nil)
	if err != nil {
		return nil, err
	}
	homepage, err := r.render(n.Homepage, nil)
	if err != nil {
		return nil, err
	}
	var contents files.Contents
	for _, c := range n.Contents {
		if c.Packager != "" && c.Packager != format {
			continue
		}
		dated, err := r.time(c.FileInfo.MTime)
		if err != nil {
			return nil, err
		}
		contents = append(contents, &files.Content{Source: c.Source, Destination: c.Destination, FileInfo: &files.ContentFileInfo{
			Owner: c.FileInfo.Owner, Group: c.FileInfo.Group, Mode: c.FileInfo.Mode, MTime: dated,
		}})
	}
	contents = append(contents, &files.Content{
		Source: binary.file, Destination: n.Bindir + "/" + filepath.Base(binary.file), FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: at},
	})
	return nfpm.WithDefaults(&nfpm.Info{
		Name: r.ProjectName, Arch: binary.platform.arch, Platform: binary.platform.os, Version: fmt.Sprint(r.fields["Version"]), License: n.License,
		MTime: at, Maintainer: maintainer, Homepage: homepage, Section: n.Section, Priority: n.Priority, Description: strings.TrimSpace(n.Description),
		Overridables: nfpm.Overridables{Contents: contents, RPM: nfpm.RPM{BuildHost: n.RPM.BuildHost}},
	}), nil
}
