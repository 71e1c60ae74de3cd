package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The bill of materials has the modules that are linked into a binary; here, into this test.
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
		if len(c.Licenses) != 1 || c.Name == "github.com/CycloneDX/cyclonedx-go" && (c.Licenses[0].License.ID != "Apache-2.0" || len(c.Hashes[0].Content) != 64) {
			t.Errorf("%s has licenses %v and hashes %v", c.Name, c.Licenses, c.Hashes)
		}
	}
	if bom.BOMFormat != "CycloneDX" || bom.Metadata.Component.Version != "v1.2.3" || bom.Metadata.Timestamp != "1970-01-01T00:00:00Z" ||
		!strings.HasPrefix(found["github.com/CycloneDX/cyclonedx-go"], "pkg:golang/github.com/CycloneDX/cyclonedx-go@v0.") || found["std"] == "" ||
		len(bom.Dependencies) != 1 || len(bom.Dependencies[0].DependsOn) != len(bom.Components) {
		t.Errorf("%s", first)
	}
	if write() != first {
		t.Error("the same binary has another bill")
	}
}
