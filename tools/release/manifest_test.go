package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// made is a release whose archives are there.
func made(t *testing.T, names ...string) *release {
	t.Helper()
	r := &release{out: t.TempDir(), version: "1.2.3", base: "https://example.com/v1.2.3/", date: time.Unix(0, 0).UTC()}
	r.manual = filepath.Join(r.out, "manual")
	files := []string{"manual/man/ripple.1", "manual/man/ripple-exec.1"}
	for _, name := range names {
		end := ".tar.gz"
		if strings.HasPrefix(name, "windows") {
			end = ".zip"
		}
		files = append(files, "ripple-1.2.3-"+name+end)
	}
	for _, file := range files {
		file = filepath.Join(r.out, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

const sumOfX = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"

func TestManifests(t *testing.T) {
	names := []string{"darwin-arm64", "darwin-amd64", "linux-amd64", "windows-amd64"}
	r := made(t, names...)
	files, err := r.manifests(names)
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	var scoop struct {
		Version, License, Bin string
		Architecture          map[string]struct{ URL, Hash string }
	}
	data, err := os.ReadFile(filepath.Join(r.out, "ripple.json"))
	if err != nil || json.Unmarshal(data, &scoop) != nil {
		t.Fatalf("%v %s", err, data)
	}
	if a := scoop.Architecture["64bit"]; scoop.Version != "1.2.3" || scoop.License != "MIT" || scoop.Bin != "ripple.exe" ||
		a.URL != "https://example.com/v1.2.3/ripple-1.2.3-windows-amd64.zip" || a.Hash != sumOfX {
		t.Errorf("%s", data)
	}
	cask, err := os.ReadFile(filepath.Join(r.out, "ripple.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"cask \"ripple\" do\n  version \"1.2.3\"\n",
		"  on_macos do\n    on_arm do\n      sha256 \"" + sumOfX + "\"\n      url \"https://example.com/v1.2.3/ripple-1.2.3-darwin-arm64.tar.gz\"\n    end\n    on_intel do\n",
		"  on_linux do\n    on_intel do\n", "  binary \"ripple\"\n  manpage \"man/ripple-exec.1\"\n  manpage \"man/ripple.1\"\n  bash_completion \"completions/ripple.bash\"\n",
	} {
		if !strings.Contains(string(cask), want) {
			t.Errorf("%q is not in\n%s", want, cask)
		}
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		if out, err := exec.Command(ruby, "-c", filepath.Join(r.out, "ripple.rb")).CombinedOutput(); err != nil {
			t.Errorf("ruby: %s", out)
		}
	} else {
		t.Log("ruby is not here: the cask was not parsed")
	}
}

// Without an address, or an archive that they are for, there are none.
func TestNoManifests(t *testing.T) {
	r := made(t, "linux-amd64")
	if files, err := r.manifests([]string{"linux-amd64"}); err != nil || len(files) != 0 {
		t.Error(files, err)
	}
	r.base = ""
	if files, err := r.manifests([]string{"linux-amd64", "darwin-arm64"}); err != nil || len(files) != 0 {
		t.Error(files, err)
	}
}

// The bill of materials has what is linked into a binary; here, of this test.
func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := made(t)
	files, err := r.sbom(platform{"linux", "amd64"}, self)
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component struct{ Name, Version string }
		}
		Components   []struct{ Name, Version, Purl string }
		Dependencies []struct{ DependsOn []string }
	}
	if err := json.Unmarshal(first, &bom); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range bom.Components {
		found[c.Name] = c.Purl
	}
	if bom.BOMFormat != "CycloneDX" || bom.Metadata.Component.Version != "v1.2.3" || bom.Metadata.Timestamp != "1970-01-01T00:00:00Z" ||
		!strings.HasPrefix(found["github.com/goreleaser/nfpm/v2"], "pkg:golang/github.com/goreleaser/nfpm/v2@v2.") || found["std"] == "" ||
		len(bom.Dependencies) != 1 || len(bom.Dependencies[0].DependsOn) != len(bom.Components) {
		t.Errorf("%s", first)
	}
	if _, err := r.sbom(platform{"linux", "amd64"}, self); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(files[0]); err != nil || string(again) != string(first) {
		t.Error("the same binary has another bill", err)
	}
}
