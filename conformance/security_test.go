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
