package console

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNamesOfFiles(t *testing.T) {
	cwd, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"docs/one.md", "docs/two.md", ".hidden", "dog", "with blank"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(cwd, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(cwd, name), nil, 0o600))
	}
	require.NoError(t, os.Symlink("docs", filepath.Join(cwd, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(home, "notes"), nil, 0o600))
	for _, tt := range []struct {
		word  string
		found []string
	}{
		{"do", []string{"docs/", "dog"}},
		{"docs/", []string{"docs/one.md", "docs/two.md"}},
		{"./docs/t", []string{"./docs/two.md"}},
		{"docs/../do", []string{"docs/../docs/", "docs/../dog"}},
		{"l", []string{"link/"}},
		{".h", []string{".hidden"}},
		{"w", []string{"with blank"}},
		{cwd + "/dog", []string{cwd + "/dog"}},
		{"~/no", []string{"~/notes"}},
		{"~no", nil},
		{"none/x", nil},
	} {
		assert.Equal(t, tt.found, filesNamed(tt.word, cwd, home), tt.word)
	}
	assert.Empty(t, filesNamed("do", "", home), "the program does not report its directory")
	assert.Empty(t, filesNamed("~/no", cwd, ""))
}
