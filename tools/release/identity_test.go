package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkout creates a copy of the repository's files, as they are in the working tree.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	shell := exec.Command("sh", "-c", `git ls-files --cached --others --exclude-standard | tar -cf - --ignore-failed-read -T - 2>/dev/null | tar -xf - -C "$0" && git -C "$0" init -q`, dir)
	shell.Dir = "../.."
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

const someone = `module: go.forge.test/people/ripple
repository: people/ripple
homepage: https://ripple.test/
npm_scope: people
maintainer: Some One <some@one.test>
license_holder: Some One
`

func setIdentity(t *testing.T, repo, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo, identityFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// With another identity the tree builds, and no file has the old one; writing the same identity again changes nothing.
func TestIdentityIsWrittenEverywhere(t *testing.T) {
	before, err := readIdentity("../..")
	if err != nil {
		t.Fatal(err)
	}
	repo := checkout(t)
	setIdentity(t, repo, someone)
	if err := identityCommand([]string{"-repo", repo}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"go.mod":                     "module go.forge.test/people/ripple\n",
		"tools/release/go.mod":       "module go.forge.test/people/ripple/tools/release\n",
		"cmd/ripple/main.go":         `"go.forge.test/people/ripple/`,
		"docs/library.md":            "The module is `go.forge.test/people/ripple`.",
		"docs/writing-an-adapter.md": "uses: people/ripple/.github/workflows/adapter.yml@main",
		".goreleaser.yaml":           "  - NPM_SCOPE=people\n",
		"LICENSE":                    " Some One\n",
		"schema/adapter.schema.json": `"$id": "https://ripple.test/adapter.schema.json"`,
	} {
		data, err := os.ReadFile(filepath.Join(repo, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), want) {
			t.Errorf("%s does not contain %q", file, want)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = repo
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	// An address such as https://example.org/ripple.mcpb is not the module path.
	if old := run("sh", "-c", `git grep --untracked -lE "(^|[^/.])$0([^.]|$)" -- . ":!CHANGELOG.md" || :`, regexp.QuoteMeta(before.Module)); old != "" {
		t.Errorf("the old path is still in:\n%s", old)
	}
	run("go", "build", "./...")
	run("git", "add", "-A")
	if err := identityCommand([]string{"-repo", repo}); err != nil {
		t.Fatal(err)
	}
	if again := run("git", "diff", "--stat"); again != "" {
		t.Errorf("the same identity again changes:\n%s", again)
	}
}

func TestIdentityIsChecked(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a placeholder":  {strings.Replace(someone, "npm_scope: people", `npm_scope: ""`, 1), "npm_scope: still a placeholder"},
		"several":        {strings.Replace(strings.Replace(someone, "people/ripple\nhome", "OWNER/ripple\nhome", 1), "@one.test", "@localhost", 1), "maintainer, repository: still a placeholder"},
		"no dot":         {strings.Replace(someone, "go.forge.test/people/ripple", "ripple", 1), `module is "ripple"; write an import path`},
		"http":           {strings.Replace(someone, "https:", "http:", 1), `homepage is "http://ripple.test/"`},
		"an unknown key": {someone + "color: red\n", "field color not found"},
		"complete":       {someone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			repo := t.TempDir()
			if err := os.Mkdir(filepath.Join(repo, "tools"), 0o755); err != nil {
				t.Fatal(err)
			}
			setIdentity(t, repo, tt.text)
			err := identityCommand([]string{"-repo", repo, "-check"})
			if got := fmt.Sprint(err); (tt.want == "") != (err == nil) || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// The repository's own values are in their places.
func TestIdentityIsUpToDate(t *testing.T) {
	id, err := readIdentity("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range id.places() {
		data, err := os.ReadFile(filepath.Join("../..", p.file))
		if err != nil {
			t.Fatal(err)
		}
		found := p.pattern.FindAllSubmatch(data, -1)
		if found == nil {
			t.Errorf("%s: nothing matches %s", p.file, p.pattern)
		}
		for _, groups := range found {
			if string(groups[2]) != p.value {
				t.Errorf("%s has %q, and %s %q; run `make identity`", p.file, groups[2], identityFile, p.value)
			}
		}
	}
}
