package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// noticesFile has the licenses of all modules in a binary; the path is relative to the root of the checkout.
const noticesFile = ".release/THIRD_PARTY_LICENSES"

func noticesCommand(args []string) error {
	flags := flag.NewFlagSet("release notices [flags] OS…", flag.ExitOnError)
	tags := flags.String("tags", "", "build `TAGS` of the binaries")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := modules("./cmd/ripple", *tags, flags.Args())
	if err != nil {
		return err
	}
	return notices(noticesFile, list)
}

// part is a module that is in a binary.
type part struct{ path, version string }

// modules returns the modules of a program's packages on some systems, and the standard library.
func modules(program, tags string, systems []string) ([]part, error) {
	list := []part{{"std", runtime.Version()}}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-tags", tags, "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", program)
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if path, version, is := strings.Cut(strings.TrimSpace(line), " "); is {
				list = append(list, part{path, version})
			}
		}
	}
	slices.SortFunc(list[1:], func(a, b part) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(list), nil
}

// notices writes the licenses of modules into one file.
func notices(file string, list []part) error {
	var text bytes.Buffer
	text.WriteString("ripple contains these modules, under these licenses.\n")
	for _, p := range list {
		files, err := licensesOf(p)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n%s\n%s %s\n%s\n", strings.Repeat("=", 78), p.path, p.version, strings.Repeat("=", 78))
		for _, license := range files {
			fmt.Fprintf(&text, "\n%s\n", bytes.TrimSpace(license))
		}
	}
	return create(file, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

var licenseName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)(\.(txt|md))?$`)

// licensesOf returns the texts of a module's licenses and notices, from the module cache or from the Go installation.
func licensesOf(p part) (texts [][]byte, err error) {
	dir, err := dirOf(p)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no license in %s", p.path, dir)
	}
	return texts, nil
}

func dirOf(p part) (string, error) {
	name := "GOMODCACHE"
	if p.path == "std" {
		name = "GOROOT"
	}
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return "", err
	}
	dir := strings.TrimSpace(string(out))
	if p.path == "std" {
		return dir, nil
	}
	path, err := module.EscapePath(p.path)
	version, versionErr := module.EscapeVersion(p.version)
	return filepath.Join(dir, filepath.FromSlash(path)+"@"+version), errors.Join(err, versionErr)
}

// licenseMarks has phrases that occur in one license only.
var licenseMarks = []struct{ id, words string }{
	{"MIT", "Permission is hereby granted, free of charge, to any person"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from"},
}

// licenseID returns the SPDX expression for the licenses of a module, or "" if a person must choose.
func licenseID(texts [][]byte) string {
	all := strings.Join(strings.Fields(string(bytes.Join(texts, []byte(" ")))), " ")
	var ids []string
	for _, mark := range licenseMarks {
		if strings.Contains(strings.ToLower(all), strings.ToLower(mark.words)) {
			ids = append(ids, mark.id)
		}
	}
	if len(ids) == 0 && strings.Contains(all, "Redistribution and use in source and binary forms") {
		ids = append(ids, "BSD-2-Clause")
	}
	if strings.Contains(all, "GNU General Public License") || strings.Contains(all, "GNU GENERAL PUBLIC LICENSE") {
		return "" // a person must choose
	}
	return strings.Join(ids, " AND ")
}
