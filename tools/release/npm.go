package main

import (
	"archive/tar"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// launcher starts the binary of the package for this machine.
//
//go:embed launcher.js
var launcher []byte

// platform is a platform that ripple is built for, by its Go names.
type platform struct{ os, arch string }

// npmNames maps Go names to those of node (process.platform, process.arch).
var npmNames = map[string]string{"amd64": "x64", "windows": "win32"}

func (p platform) npm() (system, cpu string) {
	system, cpu = p.os, p.arch
	if name, other := npmNames[system]; other {
		system = name
	}
	if name, other := npmNames[cpu]; other {
		cpu = name
	}
	return system, cpu
}

// npmPackage is a package that is written into a directory.
type npmPackage struct {
	stamp
	dir, scope string
}

// named returns a package's name in the release's scope. Without a scope the packages are private, so that npm does
// not publish them under names that others may own.
func (p npmPackage) named(name string) string {
	if p.scope == "" {
		return name
	}
	return "@" + strings.TrimPrefix(p.scope, "@") + "/" + name
}

func npmCommand(args []string) error {
	var p npmPackage
	flags := flag.NewFlagSet("release npm [flags] PLATFORM…", flag.ExitOnError)
	p.add(flags)
	flags.StringVar(&p.dir, "o", ".", "directory for the package; it is made")
	flags.StringVar(&p.scope, "scope", "", "`SCOPE` of the packages' names; without one they cannot be published")
	binary := flags.String("binary", "", "`FILE` of the platform's package; without it the main one is made, for all platforms")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := errors.Join(p.check(), os.MkdirAll(p.dir, 0o755)); err != nil {
		return err
	}
	var platforms []platform
	for _, name := range flags.Args() {
		goos, arch, found := strings.Cut(name, "-")
		if !found {
			return errors.New("invalid platform " + strconv.Quote(name) + ": write OS-ARCHITECTURE, such as linux-amd64")
		}
		platforms = append(platforms, platform{goos, arch})
	}
	switch {
	case *binary == "":
		return p.main(platforms)
	case len(platforms) != 1:
		return errors.New("a binary is for one platform")
	}
	return p.platform(platforms[0], *binary)
}

// platform returns the package with the binary of one platform. Of the optional dependencies of the main package, npm
// installs the one whose os and cpu match; no script runs for it.
func (p npmPackage) platform(of platform, binary string) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	system, cpu := of.npm()
	name := "ripple"
	if of.os == "windows" {
		name += ".exe"
	}
	return p.write("ripple-"+system+"-"+cpu, map[string]any{
		"description": "The binary of ripple for " + system + " " + cpu, "os": []string{system}, "cpu": []string{cpu}, "preferUnplugged": true,
	}, "bin/"+name, program)
}

// main returns the package that users install.
func (p npmPackage) main(platforms []platform) error {
	optional := map[string]string{}
	for _, of := range platforms {
		system, cpu := of.npm()
		optional[p.named("ripple-"+system+"-"+cpu)] = p.version
	}
	return p.write("ripple", map[string]any{
		"description": "Drives any interactive program from one YAML file", "bin": map[string]string{"ripple": "bin/ripple.js"},
		"optionalDependencies": optional, "engines": map[string]string{"node": ">=18"},
	}, "bin/ripple.js", launcher)
}

// write creates a package like npm pack: a tar file with everything below package/.
func (p npmPackage) write(name string, manifest map[string]any, path string, program []byte) error {
	manifest["name"], manifest["version"], manifest["license"] = p.named(name), p.version, "MIT"
	if p.scope == "" {
		manifest["private"] = true
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	others, othersErr := os.ReadFile(noticesFile)
	if err := errors.Join(err, othersErr); err != nil {
		return err
	}
	return create(filepath.Join(p.dir, "npm-"+name+"-"+p.version+".tgz"), func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, f := range []struct {
			name    string
			content []byte
			mode    int64
		}{{"LICENSE", license, 0o644}, {"THIRD_PARTY_LICENSES", others, 0o644}, {path, program, 0o755}, {"package.json", append(text, '\n'), 0o644}} {
			head := &tar.Header{Typeflag: tar.TypeReg, Name: "package/" + f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: p.date, Format: tar.FormatUSTAR}
			if err := t.WriteHeader(head); err != nil {
				return err
			}
			if _, err := t.Write(f.content); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}
