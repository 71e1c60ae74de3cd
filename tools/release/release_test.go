package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// made is a release of this checkout, with archives for some platforms.
func made(t *testing.T, platforms ...string) *release {
	t.Helper()
	t.Setenv("RIPPLE_BASE", "https://example.com/v1.2.3")
	out := t.TempDir()
	t.Chdir(".") // and back: a release goes to its checkout
	r, err := newRelease("../..", out, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range platforms {
		goos, arch, _ := strings.Cut(name, "-")
		end := ".tar.gz"
		if goos == "windows" {
			end = ".zip"
		}
		file := filepath.Join(out, "ripple-1.2.3-"+name+end)
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		r.made = append(r.made, artifact{platform: platform{goos, arch}, file: file})
	}
	pages := filepath.Join(t.TempDir(), "manpages.rb")
	if err := os.WriteFile(pages, []byte("manpage \"man/ripple-exec.1\"\nmanpage \"man/ripple.1\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range r.Casks {
		r.Casks[i].CustomBlock = strings.ReplaceAll(r.Casks[i].CustomBlock, ".release/manpages.rb", pages)
	}
	return r
}

const sumOfX = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"

// The manifest has what Scoop's schema asks for, nothing else, and names what there is for Windows.
func TestScoop(t *testing.T) {
	r := made(t, "linux-amd64", "windows-amd64", "windows-arm64")
	if err := r.scoops(); err != nil {
		t.Fatal(err)
	}
	data, err := os.Open(filepath.Join(r.out, "ripple.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	strict := json.NewDecoder(data)
	strict.DisallowUnknownFields()
	var got struct {
		Version, Homepage, License, Description string
		Architecture                            map[string]struct {
			URL, Hash string
			Bin       []string
		}
	}
	if err := strict.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "1.2.3" || got.License != "MIT" || got.Homepage != "https://example.com/v1.2.3" || got.Description == "" || len(got.Architecture) != 2 {
		t.Errorf("%+v", got)
	}
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		a := got.Architecture[name]
		if a.URL != "https://example.com/v1.2.3/ripple-1.2.3-windows-"+arch+".zip" || a.Hash != sumOfX || !slices.Equal(a.Bin, []string{"ripple.exe"}) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// What Homebrew reads in the cask, on each system, is what there is for it.
func TestCask(t *testing.T) {
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Skip("ruby is not here")
	}
	r := made(t, "darwin-arm64", "darwin-amd64", "linux-amd64", "windows-amd64")
	if err := r.casks(); err != nil {
		t.Fatal(err)
	}
	stub, err := filepath.Abs("tools/release/testdata/cask.rb")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []struct{ os, cpu, archive string }{
		{"macos", "arm", "darwin-arm64"}, {"macos", "intel", "darwin-amd64"}, {"linux", "intel", "linux-amd64"}, {"linux", "arm", ""},
	} {
		out, err := exec.Command(ruby, stub, system.os, system.cpu, filepath.Join(r.out, "ripple.rb")).CombinedOutput()
		if err != nil {
			t.Fatalf("%s", out)
		}
		var cask map[string][]string
		if err := json.Unmarshal(out, &cask); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		want := map[string][]string{
			"cask": {"ripple"}, "version": {"1.2.3"}, "name": {"ripple"}, "desc": {"Drives any interactive program from one YAML file"},
			"homepage": {"https://example.com/v1.2.3"}, "binary": {"ripple"}, "manpage": {"man/ripple-exec.1", "man/ripple.1"},
			"bash_completion": {"completions/ripple.bash"}, "fish_completion": {"completions/ripple.fish"}, "zsh_completion": {"completions/_ripple"},
		}
		if system.archive != "" {
			want["url"], want["sha256"] = []string{"https://example.com/v1.2.3/ripple-1.2.3-" + system.archive + ".tar.gz"}, []string{sumOfX}
		}
		for _, stanza := range union(want, cask) {
			if !slices.Equal(want[stanza], cask[stanza]) {
				t.Errorf("%s %s: %s %q, not %q", system.os, system.cpu, stanza, cask[stanza], want[stanza])
			}
		}
	}
}

func union(a, b map[string][]string) []string {
	var all []string
	for _, m := range []map[string][]string{a, b} {
		for name := range m {
			all = append(all, name)
		}
	}
	return all
}

// Without an address, or an archive that they are for, there are no manifests.
func TestNoManifests(t *testing.T) {
	for _, c := range []struct{ base, platform string }{{"", "darwin-arm64"}, {"", "windows-amd64"}, {"https://example.com", "plan9-amd64"}} {
		t.Run(c.base+" "+c.platform, func(t *testing.T) {
			r := made(t, c.platform)
			t.Setenv("RIPPLE_BASE", c.base)
			if err := errors.Join(r.scoops(), r.casks()); err != nil {
				t.Error(err)
			}
			for _, name := range []string{"ripple.rb", "ripple.json"} {
				if _, err := os.Stat(filepath.Join(r.out, name)); err == nil {
					t.Errorf("there is %s", name)
				}
			}
		})
	}
}

// The bill of materials has what is linked into a binary; here, of this test.
func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "sbom.json")
	write := func() string {
		t.Helper()
		if err := sbom(stamp{"1.2.3", time.Unix(0, 0)}, self, file); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first := write()
	var bom struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component struct{ Name, Version string }
		}
		Components []struct {
			Name, Version, Purl string
			Hashes              []struct{ Content string }
			Licenses            []struct {
				Expression string
				License    struct{ ID, Name string }
			}
		}
		Dependencies []struct{ DependsOn []string }
	}
	if err := json.Unmarshal([]byte(first), &bom); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range bom.Components {
		found[c.Name] = c.Purl
		if len(c.Licenses) != 1 || c.Name == "github.com/goreleaser/nfpm/v2" && (c.Licenses[0].License.ID != "MIT" || len(c.Hashes[0].Content) != 64) {
			t.Errorf("%s has licenses %v and hashes %v", c.Name, c.Licenses, c.Hashes)
		}
	}
	if bom.BOMFormat != "CycloneDX" || bom.Metadata.Component.Version != "v1.2.3" || bom.Metadata.Timestamp != "1970-01-01T00:00:00Z" ||
		!strings.HasPrefix(found["github.com/goreleaser/nfpm/v2"], "pkg:golang/github.com/goreleaser/nfpm/v2@v2.") || found["std"] == "" ||
		len(bom.Dependencies) != 1 || len(bom.Dependencies[0].DependsOn) != len(bom.Components) {
		t.Errorf("%s", first)
	}
	if write() != first {
		t.Error("the same binary has another bill")
	}
}
