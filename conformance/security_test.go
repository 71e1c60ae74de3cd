package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	namedTest  = regexp.MustCompile("`((?:Test|Fuzz)\\w+)` \\(([\\w/]+)\\)")
	namedLoose = regexp.MustCompile("`(?:Test|Fuzz)\\w+`")
)

// Each promise of the threat model names an existing test.
func TestThreatModel(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs/security.md"))
	require.NoError(t, err)
	text := string(data)
	assert.Len(t, namedLoose.FindAllString(text, -1), len(namedTest.FindAllString(text, -1)), "a test is named with its package")
	for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
		assert.True(t, hasTest(t, m[2], m[1]), "docs/security.md names %s of %s, which does not exist", m[1], m[2])
	}
	rows := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| guarantee |") {
			continue
		}
		rows++
		assert.Regexp(t, namedTest, line, "a row without a test")
	}
	assert.Greater(t, rows, 10)
}

// promises are what docs/security.md must promise, each in a row of its own.
var promises = map[string]string{
	"trust per project":             "Nothing that a project brings is run.* before a user approves",
	"hostile files":                 "No command follows a symbolic link in `.ralph`",
	"links out of a project":        "A link in a project does not lead",
	"git waits for no pipe":         "Git does not wait for a pipe, socket or device",
	"links of settings":             "Settings and adapters that link out of the project",
	"git without its configuration": "git runs no file system monitor, hook, external diff or text conversion",
	"escape sequences":              "Text reaches a terminal without escape sequences",
	"secrets are not shown":         "A secret typed in `ripple exec` is not shown",
	"secrets are not recorded":      "A secret typed in `ripple console attach` is in no log, record or list",
	"secrets are typed by people":   "A request for a secret is answered by a user, never by an AI client",
	"root and consoles":             "Root with another user's environment",
	"root and loops":                "Root writes no file of a loop in a project of another user",
	"reading without writing":       "`status`, `watch` and `replay` work for a user who may only read",
	"bounded logs":                  "The record and the logs of a loop are bounded",
	"bounded output":                "No output takes unbounded memory or time",
}

// No promise disappears from the threat model.
func TestThreatModelIsComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/security.md"))
	require.NoError(t, err)
	for what, words := range promises {
		assert.Regexp(t, "(?m)^\\| [^|]*"+words+"[^|]*\\| .*`Test", string(text), what)
	}
}

// hasTest reports whether a directory's test files contain a test or fuzz target.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
