package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
	"gopkg.in/yaml.v3"
)

// followed are the keys of .goreleaser.yaml that this program follows, and those that say
// only how goreleaser publishes. Another one would be in what goreleaser makes, and not in what we do.
var followed = strings.Fields(`
	version project_name
	before.hooks
	snapshot.version_template
	builds.id builds.main builds.binary builds.env builds.flags builds.tags builds.ldflags builds.mod_timestamp builds.targets builds.hooks.post.cmd
	archives.ids archives.name_template archives.formats archives.format_overrides.goos archives.format_overrides.formats
	archives.builds_info.owner archives.builds_info.group archives.files.src archives.files.dst archives.files.strip_parent
	archives.files.info.owner archives.files.info.group archives.files.info.mode archives.files.info.mtime
	nfpms.id nfpms.ids nfpms.formats nfpms.file_name_template nfpms.maintainer nfpms.homepage nfpms.description nfpms.license nfpms.section nfpms.priority nfpms.bindir nfpms.mtime
	nfpms.rpm.buildhost nfpms.contents.src nfpms.contents.dst nfpms.contents.packager
	nfpms.contents.file_info.owner nfpms.contents.file_info.group nfpms.contents.file_info.mode nfpms.contents.file_info.mtime
	sboms.artifacts sboms.ids sboms.documents sboms.cmd sboms.args
	checksum.name_template checksum.extra_files.glob release.extra_files.glob
	homebrew_casks.name homebrew_casks.homepage homebrew_casks.description homebrew_casks.url.template homebrew_casks.binaries homebrew_casks.custom_block
	homebrew_casks.completions.bash homebrew_casks.completions.fish homebrew_casks.completions.zsh
	scoops.name scoops.homepage scoops.description scoops.license scoops.url_template
	changelog.disable homebrew_casks.repository.owner homebrew_casks.repository.name homebrew_casks.skip_upload
	scoops.repository.owner scoops.repository.name scoops.skip_upload
`)

// What goreleaser does with the file, this program does.
func TestFollowsTheFile(t *testing.T) {
	const file = "../../.goreleaser.yaml"
	if _, err := config.Load(file); err != nil {
		t.Fatalf("goreleaser refuses it: %v", err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := yaml.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	found := keys(all, "")
	for _, key := range found {
		if !slices.Contains(followed, key) {
			t.Errorf("tools/release does not follow %s", key)
		}
	}
	for _, key := range followed {
		if !slices.Contains(found, key) {
			t.Errorf("%s is not in the file any more", key)
		}
	}
}

// keys are the paths of all values, without the numbers in lists.
func keys(at any, path string) []string {
	var all []string
	switch at := at.(type) {
	case map[string]any:
		for key, value := range at {
			all = append(all, keys(value, strings.TrimPrefix(path+"."+key, "."))...)
		}
	case []any:
		for _, value := range at {
			all = append(all, keys(value, path)...)
		}
	default:
		all = append(all, path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
