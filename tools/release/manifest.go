package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// offered is an archive that a manifest names: where people get it, its checksum, and the
// binary in it.
type offered struct{ url, sum, binary string }

// offers are the archives for a system by their architectures.
func (r *release) offers(system, url string) (map[string]offered, error) {
	all := map[string]offered{}
	for _, a := range r.made {
		if a.platform.os != system || !strings.HasSuffix(a.file, ".tar.gz") && !strings.HasSuffix(a.file, ".zip") {
			continue
		}
		more := a.platform.fields()
		more["ArtifactName"] = filepath.Base(a.file)
		address, err := r.render(url, more)
		if err != nil {
			return nil, err
		}
		sum, err := sha256Of(a.file)
		if err != nil {
			return nil, err
		}
		all[a.platform.arch] = offered{address, sum, a.platform.binary(r.ProjectName)}
	}
	return all, nil
}

// manifest is Scoop's (https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests).
type manifest struct {
	Version      string              `json:"version"`
	Architecture map[string]resource `json:"architecture"`
	Homepage     string              `json:"homepage,omitempty"`
	License      string              `json:"license,omitempty"`
	Description  string              `json:"description,omitempty"`
}

type resource struct {
	URL  string   `json:"url"`
	Bin  []string `json:"bin"`
	Hash string   `json:"hash"`
}

// scoops are the manifests of Scoop. They name addresses: without that of the release
// there are none, and neither without an archive for Windows.
func (r *release) scoops() error {
	for _, s := range r.Scoops {
		archives, err := r.offers("windows", s.URLTemplate)
		if err != nil {
			return err
		}
		homepage, err := r.render(s.Homepage, nil)
		if err != nil {
			return err
		}
		if homepage == "" || len(archives) == 0 {
			continue
		}
		m := manifest{fmt.Sprint(r.fields["Version"]), map[string]resource{}, homepage, s.License, s.Description}
		for arch, name := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
			if a, made := archives[arch]; made {
				m.Architecture[name] = resource{a.url, []string{a.binary}, a.sum}
			}
		}
		text, err := json.MarshalIndent(m, "", "    ")
		if err := errors.Join(err, os.WriteFile(filepath.Join(r.out, s.Name+".json"), append(text, '\n'), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// casks are Homebrew's (https://docs.brew.sh/Cask-Cookbook); without an address, or an
// archive for macOS or Linux, there are none.
func (r *release) casks() error {
	for _, c := range r.Casks {
		homepage, err := r.render(c.Homepage, nil)
		if err != nil {
			return err
		}
		if homepage == "" {
			continue
		}
		text, err := r.cask(c, homepage)
		if err == nil && text != "" {
			err = os.WriteFile(filepath.Join(r.out, c.Name+".rb"), []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *release) cask(c config.HomebrewCask, homepage string) (string, error) {
	var b strings.Builder
	line := func(depth int, format string, args ...any) {
		fmt.Fprintf(&b, strings.Repeat("  ", depth)+format+"\n", args...)
	}
	custom, err := r.render(c.CustomBlock, nil)
	if err != nil {
		return "", err
	}
	line(0, "cask %q do", c.Name)
	for _, text := range strings.Split(custom, "\n") {
		line(1, "%s", text)
	}
	line(0, "\n  name %q\n  desc %q\n  homepage %q\n  version %q\n", c.Name, c.Description, homepage, r.fields["Version"])
	for _, program := range c.Binaries {
		line(1, "binary %q", program)
	}
	line(1, "bash_completion %q\n  zsh_completion %q\n  fish_completion %q\n", c.Completions.Bash, c.Completions.Zsh, c.Completions.Fish)
	found := false
	for _, system := range [][2]string{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		archives, err := r.offers(system[0], c.URL.Template)
		if err != nil {
			return "", err
		}
		if len(archives) == 0 {
			continue
		}
		found = true
		line(1, "%s do", system[1])
		for _, cpu := range [][2]string{{"amd64", "on_intel"}, {"arm64", "on_arm"}} {
			if a, made := archives[cpu[0]]; made {
				line(2, "%s do\n      url %q\n      sha256 %q\n    end", cpu[1], a.url, a.sum)
			}
		}
		line(1, "end")
	}
	line(0, "end")
	if !found {
		return "", nil
	}
	return b.String(), nil
}
