// Command release builds what people get: the binary for each platform, archives of it,
// packages for Debian, Red Hat and Alpine, packages for npm, manifests for Homebrew and
// Scoop, what the binaries are made of, and the checksums of all that.
//
// The same commit gives the same bytes: times are those of the commit, paths are left out.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release is what is built.
type release struct {
	repo, out string // directories; out is made
	version   string // without a v
	commit    string
	date      time.Time // of the commit
	manual    string    // directory with man pages and completions
	contact   string    // whom a system's package names
	base      string    // the address below which people get these files; "": not known
	feed      string    // where the binaries in archives ask for the latest version; "": they do not
}

// platform is one that ripple is built for, by Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "-" + p.arch }

func (p platform) binary() string {
	if p.os == "windows" {
		return "ripple.exe"
	}
	return "ripple"
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	repo := flag.String("repo", ".", "the checkout")
	out := flag.String("o", "dist", "directory for what is made")
	version := flag.String("version", "", "the version, such as 1.2.3 (default: a snapshot of the commit)")
	contact := flag.String("maintainer", "ripple <ripple@localhost>", "whom the packages of systems name: `NAME <ADDRESS>`")
	feed := flag.String("feed", "", "the `ADDRESS` at which the binaries of the archives ask for the latest version: JSON with a tag_name")
	base := flag.String("base", "", "the `ADDRESS` below which people will get these files, for the manifests of Homebrew and Scoop")
	names := flag.String("platforms", "linux-amd64,linux-arm64,darwin-amd64,darwin-arm64,windows-amd64", "what to build for")
	flag.Parse()
	r, err := newRelease(*repo, *out, *version)
	if err == nil {
		r.contact, r.base, r.feed = *contact, *base, *feed
		err = r.make(strings.Split(*names, ","))
	}
	if err != nil {
		log.Fatal(err)
	}
}

func newRelease(repo, out, version string) (*release, error) {
	facts, err := exec.Command("git", "-C", repo, "log", "-1", "--format=%H %ct").Output()
	if err != nil {
		return nil, fmt.Errorf("asking git for the commit of %s: %w", repo, err)
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(string(facts)), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the date of the commit: %w", err)
	}
	if version == "" {
		version = "0.0.0-snapshot.g" + commit[:10]
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	r := &release{
		repo: repo, out: out, version: strings.TrimPrefix(version, "v"),
		commit: commit, date: time.Unix(at, 0).UTC(), manual: filepath.Join(out, "manual"),
	}
	return r, os.MkdirAll(out, 0o755)
}

// make builds everything for some platforms.
func (r *release) make(names []string) error {
	if err := r.writeManual(); err != nil {
		return err
	}
	var made []string
	for _, name := range names {
		goos, arch, found := strings.Cut(name, "-")
		if !found {
			return fmt.Errorf("%q is no platform; write OS-ARCHITECTURE, as linux-amd64", name)
		}
		p := platform{goos, arch}
		binary, err := r.build(p, "", "")
		if err != nil {
			return err
		}
		asking := binary // packages do not ask: what installed them tells of newer ones
		if r.feed != "" {
			if asking, err = r.build(p, "archive", r.feed); err != nil {
				return err
			}
		}
		for _, step := range []func() ([]string, error){
			func() ([]string, error) { return r.archive(p, asking) },
			func() ([]string, error) { return r.sbom(p, asking) },
			func() ([]string, error) { return r.systemPackages(p, binary) },
			func() ([]string, error) { return r.npmPlatform(p, binary) },
		} {
			files, err := step()
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			made = append(made, files...)
		}
	}
	for _, step := range []func([]string) ([]string, error){r.npmMain, r.manifests} {
		files, err := step(names)
		if err != nil {
			return err
		}
		made = append(made, files...)
	}
	return r.checksums(made)
}

// leftOut is the tag that leaves HTTP/2 out of net/http: half a megabyte for what
// needs TLS, while all that ripple serves is on this machine.
const leftOut = "nethttpomithttp2"

// build compiles the command into a directory below that of the platform.
func (r *release) build(p platform, dir, feed string) (string, error) {
	file := filepath.Join(r.out, p.String(), dir, p.binary())
	settings := fmt.Sprintf("-s -w -buildid= -X main.releaseVersion=v%s -X main.releaseCommit=%s -X main.releaseDate=%s", r.version, r.commit, r.date.Format(time.RFC3339))
	if feed != "" {
		settings += " -X main.releaseFeed=" + feed
	}
	cmd := exec.Command("go", "build", "-tags", leftOut, "-trimpath", "-buildvcs=false", "-ldflags", settings, "-o", file, "./cmd/ripple")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	return file, r.run(cmd)
}

// writeManual has a build with the tag manual write man pages and completions.
func (r *release) writeManual() error {
	cmd := exec.Command("go", "run", "-tags", "manual", "./cmd/ripple", "manual", r.manual)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.date.Unix(), 10))
	return r.run(cmd)
}

func (r *release) run(cmd *exec.Cmd) error {
	cmd.Dir, cmd.Stderr = r.repo, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}

// checksums writes the file that sha256sum -c reads.
func (r *release) checksums(files []string) error {
	var lines strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), filepath.Base(file))
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(lines.String()), 0o644)
}
