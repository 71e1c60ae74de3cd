package ui

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/config"
)

// Only the text that ripple wrote is approved, not that of another program which replaced the file meanwhile.
func TestOwnSettingsAreThoseThatWereWritten(t *testing.T) {
	const written, other = "loop: {verify: [make test]}\n", "loop: {verify: [make other]}\n"
	for text, approved := range map[string]bool{written: true, other: false} {
		project, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		require.NoError(t, os.WriteFile(filepath.Join(project, config.ProjectFile), []byte(text), 0o600))
		a := NewApp(nil, io.Discard, io.Discard, func(error) {})
		a.Trust.OwnSettings(project, config.ProjectFile, []byte(written))
		record, err := a.Trust.agreed(project)
		require.NoError(t, err)
		assert.Equal(t, approved, len(record.Missing(SettingsItems(config.Files(project)))) == 0, text)
	}
}
