package acpcmd

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A session's directory may have files with the names of those that the user named as adapters.
func TestAdapterFilesAreThoseOfTheServersDirectory(t *testing.T) {
	here, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(here)
	in := func(name string) string { return filepath.Join(here, name) }
	for adapter, want := range map[string]string{
		"mine.yaml": in("mine.yaml"), "sub/mine.yaml": in("sub/mine.yaml"), "./x": in("x"), in("y.yml"): in("y.yml"), "codex": "codex",
	} {
		command, err := loopCommand(flags{adapter: adapter}, false, []string{"--fallback", "a.yml, codex,./b.yaml", "--adapter=c.yaml", "--prompt", "d.yaml"})
		require.NoError(t, err)
		words := command("", false)
		require.Len(t, words, 12)
		assert.Equal(t, []string{"--adapter", want, "--fallback", in("a.yml") + ", codex," + in("b.yaml"), "--adapter=" + in("c.yaml"), "--prompt", "d.yaml"}, words[5:])
	}
}
