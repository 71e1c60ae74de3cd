package box

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that the box can write, or reaches through a link that it can replace, is not run outside of the box.
func TestFindSkipsWhatTheBoxCanWrite(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"tree/bin", "write", "other", "linked", "chain"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o755))
	}
	for _, file := range []string{"tree/bin/git", "write/git", "other/git"} {
		require.NoError(t, os.WriteFile(at(file), nil, 0o755))
	}
	require.NoError(t, os.Symlink(at("tree/bin/git"), at("linked/git")))
	require.NoError(t, os.Symlink("../tree/git", at("chain/git")))
	require.NoError(t, os.Symlink("../other/git", at("tree/git")))
	p := Policy{Dir: at("tree"), Write: []string{at("write")}}
	assert.Empty(t, p.find("git", []string{"", ".", at("none"), at("tree/bin"), at("tree"), at("write"), at("linked"), at("chain")}))
	assert.Equal(t, at("other/git"), p.find("git", []string{at("tree/bin"), at("other")}))
}
