package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// identityFile is the path of the file with the identity of the project.
const identityFile = "tools/identity.yaml"

// identity has facts about the publisher of this ripple; identityFile explains the fields.
type identity struct {
	Module        string `yaml:"module"`
	Repository    string `yaml:"repository"`
	Homepage      string `yaml:"homepage"`
	NPMScope      string `yaml:"npm_scope"`
	Maintainer    string `yaml:"maintainer"`
	LicenseHolder string `yaml:"license_holder"`
}

// shapes has the patterns that values must match, in the order of identityFile. An empty homepage or npm_scope is
// valid, and a placeholder.
var shapes = []struct {
	name  string
	valid *regexp.Regexp
	want  string
	value func(identity) string
}{
	{"module", regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[\w.~-]+)+$`), "an import path such as go.example.org/ripple", func(i identity) string { return i.Module }},
	{"repository", regexp.MustCompile(`^[\w.-]+/[\w.-]+$`), "OWNER/NAME", func(i identity) string { return i.Repository }},
	{"homepage", regexp.MustCompile(`^(https://[^\s"'/][^\s"']*)?$`), "an address that begins with https://", func(i identity) string { return i.Homepage }},
	{"npm_scope", regexp.MustCompile(`^[a-z0-9-]*$`), "a scope of npm without @", func(i identity) string { return i.NPMScope }},
	{"maintainer", regexp.MustCompile(`^[^<>"'{}]+ <[^<>\s"'{}]+@[^<>\s"'{}]+>$`), "NAME <ADDRESS>", func(i identity) string { return i.Maintainer }},
	{"license_holder", regexp.MustCompile(`^[^\n]+$`), "a name", func(i identity) string { return i.LicenseHolder }},
}

// readIdentity reads identityFile of a checkout. Errors name the file and the key.
func readIdentity(repo string) (identity, error) {
	var id identity
	data, err := os.ReadFile(filepath.Join(repo, identityFile))
	if err != nil {
		return id, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&id); err != nil {
		return id, fmt.Errorf("%s: %w", identityFile, err)
	}
	var wrong []error
	for _, s := range shapes {
		if v := s.value(id); !s.valid.MatchString(v) {
			wrong = append(wrong, fmt.Errorf("%s: %s is %q; write %s", identityFile, s.name, v, s.want))
		}
	}
	return id, errors.Join(wrong...)
}

// placeholders returns the keys whose value is still a placeholder. The copyright holder may be "the authors".
func (i identity) placeholders() (names []string) {
	for name, open := range map[string]bool{
		"module":     strings.HasPrefix(i.Module, "example."),
		"repository": strings.HasPrefix(i.Repository, "OWNER/"),
		"homepage":   i.Homepage == "",
		"npm_scope":  i.NPMScope == "",
		"maintainer": strings.HasSuffix(i.Maintainer, "@localhost>"),
	} {
		if open {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// identityCommand writes the identity into a checkout, or checks that it allows a release.
func identityCommand(args []string) error {
	flags := flag.NewFlagSet("release identity [flags]", flag.ExitOnError)
	repo := flags.String("repo", ".", "the checkout")
	check := flags.Bool("check", false, "write nothing, and fail while a value is a placeholder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	id, err := readIdentity(*repo)
	if err != nil {
		return err
	}
	if *check {
		if open := id.placeholders(); len(open) > 0 {
			return fmt.Errorf("%s: %s: still a placeholder; fill it in and run `make identity` before a release", identityFile, strings.Join(open, ", "))
		}
		return nil
	}
	return id.write(*repo)
}

// place describes where a value is: the second group of a pattern in a file. Each occurrence is replaced, and there
// must be at least one.
type place struct {
	file    string
	pattern *regexp.Regexp
	value   string
}

func (i identity) places() []place {
	id := ""
	if i.Homepage != "" {
		id = strings.TrimSuffix(i.Homepage, "/") + "/"
	}
	own := []place{
		{"LICENSE", regexp.MustCompile(`(?m)^(Copyright \(c\) \d+ )(.*)()$`), i.LicenseHolder},
		{".goreleaser.yaml", regexp.MustCompile(`(?m)^(  - MAINTAINER=)(.*)()$`), i.Maintainer},
		{".goreleaser.yaml", regexp.MustCompile(`(?m)^(  - HOMEPAGE=)(.*)()$`), i.Homepage},
		{".goreleaser.yaml", regexp.MustCompile(`(?m)^(  - NPM_SCOPE=)(.*)()$`), i.NPMScope},
		{"docs/writing-an-adapter.md", regexp.MustCompile(`(uses: )([\w.-]+/[\w.-]+)(@|/\.github/workflows/adapter\.yml@)`), i.Repository},
		{"docs/writing-an-adapter.md", regexp.MustCompile(`(?m)^( +ripple: )([\w.-]+/[\w.-]+)()$`), i.Repository},
	}
	for _, name := range []string{"schema/adapter", "schema/project", "schema/scenario"} {
		own = append(own, place{name + ".schema.json", regexp.MustCompile(`("\$id": ")(https://[^"]*/)?(\w+\.schema\.json")`), id})
	}
	return own
}

// write writes the identity into the files of a checkout: into all of them, or into none if one does not have the
// expected form.
func (i identity) write(repo string) error {
	changed := map[string][]byte{}
	read := func(file string) ([]byte, error) {
		if data, there := changed[file]; there {
			return data, nil
		}
		return os.ReadFile(filepath.Join(repo, file))
	}
	for _, p := range i.places() {
		data, err := read(p.file)
		if err != nil {
			return err
		}
		if !p.pattern.Match(data) {
			return fmt.Errorf("%s: nothing matches %s, which should contain a value of the identity", p.file, p.pattern)
		}
		changed[p.file] = p.pattern.ReplaceAll(data, []byte("${1}"+strings.ReplaceAll(p.value, "$", "$$")+"${3}"))
	}
	if err := i.renameModule(repo, read, changed); err != nil {
		return err
	}
	for file, data := range changed {
		if err := os.WriteFile(filepath.Join(repo, file), data, 0o644); err != nil { // git has the old content, and the mode is kept
			return err
		}
	}
	return nil
}

// renameModule replaces the module's path in the text files that git tracks. Change logs keep their text.
func (i identity) renameModule(repo string, read func(string) ([]byte, error), changed map[string][]byte) error {
	mod, err := read("go.mod")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	old, ok := strings.CutPrefix(first, "module ")
	if !ok || old == i.Module {
		return nil
	}
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = repo
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	path := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(old) + `(/|[^\w.-]|$)`)
	for file := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if file == "CHANGELOG.md" || file == identityFile {
			continue
		}
		data, err := read(file)
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) >= 0 || !path.Match(data) {
			continue
		}
		data = path.ReplaceAll(data, []byte("${1}"+i.Module+"${2}"))
		if strings.HasSuffix(file, ".go") {
			if data, err = format.Source(data); err != nil { // sorts the imports
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		changed[file] = data
	}
	return nil
}
