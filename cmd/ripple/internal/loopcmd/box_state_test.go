package loopcmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// An adapter of a project opens no secret in a box, and no file that a shell runs when it starts.
func TestAProjectsAdapterOpensNoSecretInABox(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(home, "dotfiles", "ssh"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "dotfiles", "zshrc"), nil, 0o600))
	require.NoError(t, os.Symlink("dotfiles/zshrc", filepath.Join(home, ".zshrc")))
	require.NoError(t, os.Symlink("dotfiles/ssh", filepath.Join(home, ".ssh")))
	require.NoError(t, os.Symlink(".zshrc", filepath.Join(home, "mine")))
	for state, refused := range map[string]string{
		".my-agent/": "", ".config/my-agent/": "", ".sshx/": "", "dotfiles/other": "",
		".ssh/": ".ssh", ".ssh/id_rsa": ".ssh", ".bashrc": ".bashrc", ".config/fish/config.fish": ".config/fish", ".config/": ".config/",
		"dotfiles/": ".ssh", "dotfiles/zshrc": ".zshrc", "mine": ".zshrc", ".local/bin/": ".local/bin",
	} {
		e := &registry.Entry{Name: "x", Origin: registry.OriginProject, Adapter: &schema.Adapter{Agent: &schema.Agent{}}}
		e.Adapter.Agent.State = []string{".my-agent/", state}
		if err := checkState(e, home); refused == "" {
			require.NoError(t, err, state)
		} else {
			require.ErrorContains(t, err, "~/"+state)
			require.ErrorContains(t, err, "~/"+refused)
		}
		for _, origin := range []string{registry.OriginUser, registry.OriginFile, registry.OriginEmbedded} {
			e.Origin = origin
			require.NoError(t, checkState(e, home), origin)
		}
	}
}
