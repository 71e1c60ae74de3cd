//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// The filters of a repository's own settings need approval, also for the rehearsal, which runs in any project.
func TestFiltersOfARepositoryNeedApproval(t *testing.T) {
	t.Parallel()
	const setting = "filter.x.clean = EVIL"
	h := newHostile(t, map[string]string{"a.txt": "a\n", ".gitattributes": "a.txt filter=x\n"})
	evil := filepath.Join(filepath.Dir(h.dir), "evil")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		cmd.Dir, cmd.Env = h.dir, h.environ
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-qm", "first")
	git("config", "filter.x.clean", evil)
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("b\n"), 0o600))

	run := []string{"run", "--adapter", "rehearsal", "--prompt", "x", "--max-turns", "1"}
	for _, more := range [][]string{nil, {"--worktree", "w"}, {"--commit"}} {
		out, code := h.harmless(append(run, more...)...)
		assert.Equal(t, ui.ExitUsage, code, out)
		assert.Contains(t, out, strings.ReplaceAll(setting, "EVIL", evil))
		assert.NoDirExists(t, filepath.Join(h.dir, ".ralph"))
	}
	for _, line := range []string{"trust --show", "run --dry-run --adapter rehearsal --prompt x", "status", "watch", "doctor"} {
		h.harmless(strings.Fields(line)...)
	}
	out, _ := h.run(append(run, "--trust")...)
	assert.FileExists(t, h.ran, out)
	require.NoError(t, os.Remove(h.ran))

	out, code := h.harmless("trust")
	assert.Zero(t, code, out)
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("c\n"), 0o600))
	out, _ = h.run(run...)
	assert.FileExists(t, h.ran, out)
	require.NoError(t, os.Remove(h.ran))

	git("config", "filter.x.clean", evil+" --more")
	out, code = h.harmless(run...)
	assert.Equal(t, ui.ExitUsage, code, out)
	assert.Contains(t, out, "changed since it was approved")
}
