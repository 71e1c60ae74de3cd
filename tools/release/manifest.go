package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const inAWord = "Drives any interactive program from one YAML file"

// archived is the archive of a platform: where people get it, and its checksum.
type archived struct{ url, sum string }

// manifests are those of Homebrew and Scoop, for the archives that were made. They name
// addresses: without that of the release there are none.
func (r *release) manifests(names []string) ([]string, error) {
	if r.base == "" {
		return nil, nil
	}
	all := map[string]archived{}
	for _, name := range names {
		end := ".tar.gz"
		if strings.HasPrefix(name, "windows-") {
			end = ".zip"
		}
		file := "ripple-" + r.version + "-" + name + end
		data, err := os.ReadFile(filepath.Join(r.out, file))
		if err != nil {
			return nil, err
		}
		all[name] = archived{strings.TrimSuffix(r.base, "/") + "/" + file, fmt.Sprintf("%x", sha256.Sum256(data))}
	}
	scoop, err := r.scoop(all)
	if err != nil {
		return nil, err
	}
	cask, err := r.cask(all)
	if err != nil {
		return nil, err
	}
	var made []string
	for name, text := range map[string]string{"ripple.rb": cask, "ripple.json": scoop} {
		if text == "" {
			continue
		}
		file := filepath.Join(r.out, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
		made = append(made, file)
	}
	return made, nil
}

// scoop is the manifest of Scoop
// (https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests), "" without an archive for Windows.
func (r *release) scoop(all map[string]archived) (string, error) {
	architectures := map[string]any{}
	for arch, scoops := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		if a, made := all["windows-"+arch]; made {
			architectures[scoops] = map[string]string{"url": a.url, "hash": a.sum}
		}
	}
	if len(architectures) == 0 {
		return "", nil
	}
	text, err := json.MarshalIndent(map[string]any{
		"version": r.version, "description": inAWord, "homepage": r.base, "license": "MIT",
		"architecture": architectures, "bin": "ripple.exe",
	}, "", "    ")
	return string(text) + "\n", err
}

// cask is Homebrew's (https://docs.brew.sh/Cask-Cookbook), "" without an archive for macOS.
func (r *release) cask(all map[string]archived) (string, error) {
	var b strings.Builder
	line := func(depth int, format string, args ...any) {
		fmt.Fprintf(&b, strings.Repeat("  ", depth)+format+"\n", args...)
	}
	line(0, "cask %q do", "ripple")
	line(1, "version %q\n", r.version)
	found := false
	for _, system := range [][2]string{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		line(1, "%s do", system[1])
		for _, cpu := range [][2]string{{"arm64", "on_arm"}, {"amd64", "on_intel"}} {
			if a, made := all[system[0]+"-"+cpu[0]]; made {
				found = found || system[0] == "darwin"
				line(2, "%s do", cpu[1])
				line(3, "sha256 %q", a.sum)
				line(3, "url %q", a.url)
				line(2, "end")
			}
		}
		line(1, "end")
	}
	if !found {
		return "", nil
	}
	line(0, "")
	line(1, "name %q", "ripple")
	line(1, "desc %q", inAWord)
	line(1, "homepage %q\n", r.base)
	line(1, "binary %q", "ripple")
	pages, err := filepath.Glob(filepath.Join(r.manual, "man", "*.1"))
	for _, page := range pages {
		line(1, "manpage %q", "man/"+filepath.Base(page))
	}
	for _, shell := range [][2]string{{"bash", "ripple.bash"}, {"fish", "ripple.fish"}, {"zsh", "_ripple"}} {
		line(1, "%s_completion %q", shell[0], "completions/"+shell[1])
	}
	line(0, "end")
	return b.String(), err
}
