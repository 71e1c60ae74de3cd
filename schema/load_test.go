package schema

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares text with a file, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update and inspect the difference")
	assert.Equal(t, string(want), got)
}

func render(ds []Diagnostic) string {
	var b strings.Builder
	for _, d := range ds {
		b.WriteString(d.Format() + "\n")
	}
	return b.String()
}

// corpus calls f for every YAML file of a directory below testdata.
func corpus(t *testing.T, dir string, f func(t *testing.T, path string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) { f(t, path) })
	}
}

// parseFile parses a file of the corpus under its bare name, so that golden
// files do not depend on where the tests run.
func parseFile(t *testing.T, path string, parse func(string, []byte, Options) []Diagnostic) []Diagnostic {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return parse(filepath.Base(path), data, Options{}.ForFile(path))
}

func TestFilesThatLoad(t *testing.T) {
	corpus(t, "ok", func(t *testing.T, path string) {
		a, ds := Load(path, Options{})
		require.Empty(t, render(ds))
		require.NotNil(t, a)
		assert.Equal(t, path, a.Source)
	})
}

func TestFilesThatDoNotLoad(t *testing.T) {
	corpus(t, "err", func(t *testing.T, path string) {
		ds := parseFile(t, path, func(s string, b []byte, o Options) []Diagnostic {
			a, ds := Parse(s, b, o)
			assert.Nil(t, a)
			return ds
		})
		require.NotEmpty(t, ds)
		for _, d := range ds {
			assert.Equal(t, SeverityError, d.Severity)
			assert.Equal(t, filepath.Base(path), d.File)
		}
		golden(t, strings.TrimSuffix(path, ".yaml")+".out", render(ds))
	})
}

// TestEveryKindHasAnExample holds the corpora against the list of kinds.
func TestEveryKindHasAnExample(t *testing.T) {
	for dir, file := range map[string]string{"err": "diagnostic.go", "lint": "lint.go"} {
		outs, err := filepath.Glob(filepath.Join("testdata", dir, "*.out"))
		require.NoError(t, err)
		var all strings.Builder
		_, unreadable := Load(filepath.Join("testdata", dir, "none.yaml"), Options{}) // no file can show that
		all.WriteString(render(unreadable))
		for _, path := range outs {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			all.Write(text)
		}
		for _, kind := range kinds(t, file) {
			assert.Contains(t, all.String(), "["+kind.name+"]\n", "no file in testdata/%s", dir)
		}
	}
}

// TestLintOfOtherFiles: what does not load gets its errors, and nothing panics.
func TestLintOfOtherFiles(t *testing.T) {
	for _, dir := range []string{"ok", "err"} {
		corpus(t, dir, func(t *testing.T, path string) {
			for _, d := range parseFile(t, path, Lint) {
				assert.Equal(t, dir == "err", d.Severity == SeverityError, d)
			}
		})
	}
}

func TestLint(t *testing.T) {
	corpus(t, "lint", func(t *testing.T, path string) {
		ds := parseFile(t, path, Lint)
		for _, d := range ds {
			assert.Equal(t, SeverityWarning, d.Severity, d)
		}
		golden(t, strings.TrimSuffix(path, ".yaml")+".out", render(ds))
	})
}
