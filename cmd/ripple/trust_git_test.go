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

// git runs git in the project and returns its output.
func (h *hostile) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
	cmd.Dir, cmd.Env = h.dir, h.environ
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// The filters of a repository's own settings need approval, also for the rehearsal, which runs in any project.
func TestFiltersOfARepositoryNeedApproval(t *testing.T) {
	t.Parallel()
	const setting = "filter.x.clean = EVIL"
	h := newHostile(t, map[string]string{"a.txt": "a\n", ".gitattributes": "a.txt filter=x\n"})
	evil := filepath.Join(filepath.Dir(h.dir), "evil")
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
	h.git("init", "-q", "-b", "main")
	h.git("add", "-A")
	h.git("commit", "-qm", "first")
	h.git("config", "filter.x.clean", evil)
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

	h.git("config", "filter.x.clean", evil+" --more")
	out, code = h.harmless(run...)
	assert.Equal(t, ui.ExitUsage, code, out)
	assert.Contains(t, out, "changed since it was approved")
}

// In a session the default prompts of fish and xonsh do not ask git, so that the settings of a repository, which an unpacked
// archive can bring, run nothing: no filter of a file that git compares, and no program that fetches missing objects.
func TestThePromptOfAShellRunsNoSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ shell, key, value string }{
		{"fish", "bash.showDirtyState", "true"},
		{"fish", "bash.showInformativeStatus", "true"},
		{"fish", "remote.o.uploadpack", "EVIL"},
		{"fish", "alias.remote-none", "!EVIL"}, // the helper of protocol none
		{"xonsh", "core.fsmonitor", "EVIL"},
		{"xonsh", "remote.o.uploadpack", "EVIL"},
	} {
		t.Run(test.shell+"/"+test.key, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(test.shell); err != nil {
				t.Skip(test.shell + " is not installed")
			}
			h := newHostile(t, map[string]string{"a.txt": "a\n", ".gitattributes": "a.txt filter=x\n"})
			evil := filepath.Join(filepath.Dir(h.dir), "evil")
			require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
			h.git("init", "-q", "-b", "main")
			h.git("add", "-A")
			h.git("commit", "-qm", "first")
			h.git("tag", "v1")
			h.git("checkout", "-q", "--detach")
			commit := h.git("rev-parse", "HEAD")
			for _, kv := range [][]string{
				{"filter.x.clean", evil},
				{"core.fsmonitor", evil},
				{"diff.external", evil},
				{"core.repositoryformatversion", "1"},
				{"extensions.partialclone", "o"},
				{"remote.o.url", h.dir},
				{"remote.o.promisor", "true"},
				{"protocol.file.allow", "always"},
				{test.key, strings.ReplaceAll(test.value, "EVIL", evil)},
			} {
				h.git("config", kv[0], kv[1])
			}
			if test.key == "alias.remote-none" {
				h.git("config", "remote.o.url", "none::x")
			}
			if test.key == "alias.remote-none" || test.key == "remote.o.uploadpack" {
				require.NoError(t, os.Remove(filepath.Join(h.dir, ".git", "objects", commit[:2], commit[2:])))
			}
			require.NoError(t, os.WriteFile(filepath.Join(h.dir, "a.txt"), []byte("b\n"), 0o600))

			out, code := h.harmless("exec", test.shell, "echo hi")
			assert.Equal(t, "hi\n", out)
			assert.Zero(t, code)
			// The user's settings stay, and commands do not see those of the prompt.
			h.environ = append(h.environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.email", "GIT_CONFIG_VALUE_0=me@example.org")
			out, code = h.harmless("exec", test.shell, "git config user.email; env | grep -c -e GIT_CONFIG -e GIT_ALLOW")
			assert.Equal(t, "me@example.org\n3\n", out)
			assert.Zero(t, code)
		})
	}
}
