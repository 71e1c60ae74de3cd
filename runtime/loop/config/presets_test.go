package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files in the formats of ralph-orchestrator load unchanged.
func TestPresetsLoad(t *testing.T) {
	files, err := filepath.Glob("testdata/presets/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		c, notes, err := sources{yml: string(data)}.load(t)
		if assert.NoError(t, err, f) {
			assert.NotEmpty(t, notes, "%s: settings without effect are reported", f)
			t.Log(f, len(c.Hats.Hats), notes)
		}
	}
}
