package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/caarlos0/go-shellwords"
	"github.com/goreleaser/fileglob"
	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// release is what is made, with the file that says it.
type release struct {
	config.Project
	out    string   // directory, absolute; it is made
	only   []string // platforms; none: all
	fields fields
	made   []artifact
}

// fields are what templates have (https://goreleaser.com/customization/templates/).
type fields map[string]any

// artifact is a file that was made: a binary, what has one in it, or neither.
type artifact struct {
	id       string // of the build that made the binary
	platform platform
	file     string
	binary   bool // not for people
}

// platform is one that ripple is built for, by Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "-" + p.arch }

func (p platform) binary(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

func (p platform) fields() fields { return fields{"Os": p.os, "Arch": p.arch} }

// newRelease goes to the checkout: the file names its files as seen from there.
func newRelease(repo, out, version string) (*release, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	if err := os.Chdir(repo); err != nil {
		return nil, err
	}
	file, err := config.Load(".goreleaser.yaml")
	if err != nil {
		return nil, fmt.Errorf(".goreleaser.yaml: %w", err)
	}
	facts, err := exec.Command("git", "log", "-1", "--format=%H %ct").Output()
	if err != nil {
		return nil, fmt.Errorf("asking git for the commit of %s: %w", repo, err)
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(string(facts)), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the date of the commit: %w", err)
	}
	r := &release{Project: file, out: out, fields: fields{
		"FullCommit": commit, "CommitTimestamp": at, "CommitDate": time.Unix(at, 0).UTC().Format(time.RFC3339),
	}}
	r.fields["IsSnapshot"] = version == ""
	if version == "" {
		if version, err = r.render(file.Snapshot.VersionTemplate, nil); err != nil {
			return nil, err
		}
	}
	r.fields["Version"] = strings.TrimPrefix(version, "v")
	return r, os.MkdirAll(out, 0o755)
}

// make does all steps; a step finds what those before it have made.
func (r *release) make() error {
	for _, step := range []func() error{r.before, r.binaries, r.archives, r.systemPackages, r.boms, r.extras, r.checksums, r.casks, r.scoops} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) before() error {
	for _, hook := range r.Before.Hooks {
		if err := r.command(hook, nil); err != nil {
			return err
		}
	}
	return nil
}

// render fills a template in, with fields beside those of the release.
func (r *release) render(text string, more fields) (string, error) {
	all := fields{}
	for _, some := range []fields{r.fields, more} {
		for name, value := range some {
			all[name] = value
		}
	}
	t, err := template.New(text).Option("missingkey=error").Funcs(template.FuncMap{
		"abs":      filepath.Abs,
		"isEnvSet": func(name string) bool { return os.Getenv(name) != "" },
		"envOrDefault": func(name, otherwise string) string {
			if value, set := os.LookupEnv(name); set {
				return value
			}
			return otherwise
		},
		"mustReadFile": func(file string) (string, error) {
			data, err := os.ReadFile(file)
			return strings.TrimSpace(string(data)), err
		},
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.Execute(&out, all)
	return out.String(), err
}

func (r *release) renderAll(texts []string, more fields) ([]string, error) {
	var all []string
	for _, text := range texts {
		rendered, err := r.render(text, more)
		if err != nil {
			return nil, err
		}
		all = append(all, rendered)
	}
	return all, nil
}

// command runs a hook.
func (r *release) command(hook string, more fields) error {
	line, err := r.render(hook, more)
	if err != nil {
		return err
	}
	words, err := shellwords.Parse(line)
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return start("", nil, words)
}

// start runs a command to its end, with more in its environment.
func start(dir string, env, words []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(words, " "), err)
	}
	return nil
}

// of are the binaries that some builds made, in the order of their making.
func (r *release) of(builds []string) []artifact {
	return slices.DeleteFunc(slices.Clone(r.made), func(a artifact) bool { return !a.binary || !slices.Contains(builds, a.id) })
}

// extras copies what else a release has to the rest.
func (r *release) extras() error {
	for _, extra := range r.Release.ExtraFiles {
		files, err := fileglob.Glob(extra.Glob)
		if err != nil {
			return err
		}
		for _, file := range files {
			to := filepath.Join(r.out, filepath.Base(file))
			if err := copyTo(to, file); err != nil {
				return err
			}
			r.made = append(r.made, artifact{file: to})
		}
	}
	return nil
}

func copyTo(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return create(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// checksums writes the file that sha256sum -c reads.
func (r *release) checksums() error {
	files := slices.DeleteFunc(slices.Clone(r.made), func(a artifact) bool { return a.binary })
	slices.SortFunc(files, func(a, b artifact) int { return cmp.Compare(filepath.Base(a.file), filepath.Base(b.file)) })
	var lines strings.Builder
	for _, a := range files {
		sum, err := sha256Of(a.file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, filepath.Base(a.file))
	}
	return os.WriteFile(filepath.Join(r.out, r.Checksum.NameTemplate), []byte(lines.String()), 0o644)
}

func sha256Of(file string) (string, error) {
	data, err := os.ReadFile(file)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
