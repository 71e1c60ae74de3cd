package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// binaries compiles each build for each of its platforms that are asked for.
func (r *release) binaries() error {
	for _, b := range r.Builds {
		for _, target := range b.Targets {
			goos, arch, _ := strings.Cut(target, "_")
			p := platform{goos, arch}
			if len(r.only) > 0 && !slices.Contains(r.only, p.String()) {
				continue
			}
			if err := r.build(b, p); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
	}
	if len(r.made) == 0 {
		return fmt.Errorf("no build is for %s; a platform is OS-ARCHITECTURE, as linux-amd64", strings.Join(r.only, ", "))
	}
	return nil
}

func (r *release) build(b config.Build, p platform) error {
	file := filepath.Join(r.out, b.ID+"_"+p.os+"_"+p.arch, p.binary(b.Binary))
	more := p.fields()
	more["Path"] = file
	words := []string{"go", "build"}
	for _, part := range []struct {
		prefix, between string
		texts           []string
	}{{"", "", b.Flags}, {"-tags=", ",", b.Tags}, {"-ldflags=", " ", b.Ldflags}} {
		rendered, err := r.renderAll(part.texts, more)
		switch {
		case err != nil:
			return err
		case part.prefix == "":
			words = append(words, rendered...)
		case len(rendered) > 0:
			words = append(words, part.prefix+strings.Join(rendered, part.between))
		}
	}
	if err := start("", append(b.Env, "GOOS="+p.os, "GOARCH="+p.arch), append(words, "-o", file, b.Main)); err != nil {
		return err
	}
	if err := r.dated(file, b.ModTimestamp, more); err != nil {
		return err
	}
	r.made = append(r.made, artifact{id: b.ID, platform: p, file: file, binary: true})
	for _, hook := range b.Hooks.Post {
		if err := r.command(hook.Cmd, more); err != nil {
			return err
		}
	}
	return nil
}

// dated gives a file the time that a template has in seconds.
func (r *release) dated(file, seconds string, more fields) error {
	text, err := r.render(seconds, more)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("mod_timestamp: %w", err)
	}
	return os.Chtimes(file, time.Unix(n, 0), time.Unix(n, 0))
}
