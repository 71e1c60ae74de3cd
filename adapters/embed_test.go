package adapters

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// Everything below testdata is in the binary: go:embed leaves some names out.
func TestTestdata(t *testing.T) {
	seen := 0
	require.NoError(t, fs.WalkDir(os.DirFS("."), "testdata", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		seen++
		_, err = FS.Open(name)
		assert.NoError(t, err)
		return nil
	}))
	require.NotZero(t, seen)
}

// An editor checks and completes each file: it names the JSON Schema, which is beside it.
func TestEditorsFindTheSchema(t *testing.T) {
	names, err := fs.Glob(FS, "*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := fs.ReadFile(FS, name)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), schema.EditorLine), "%s begins with %q", name, schema.EditorLine)
	}
	beside, err := os.ReadFile(schema.FileName)
	require.NoError(t, err)
	assert.Equal(t, string(schema.AdapterJSON()), string(beside))
}
