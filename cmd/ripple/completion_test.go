package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tab in fish completes, and runs nothing of the current line, whose arguments may be code for
// another program.
func TestFishCompletionRunsNothing(t *testing.T) {
	t.Parallel()
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("fish is not installed")
	}
	dir := t.TempDir()
	built, err := binary()
	require.NoError(t, err)
	path := filepath.Join(dir, "ripple")
	require.NoError(t, os.Symlink(built, path))
	script, err := exec.Command(path, "completion", "fish").Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ripple.fish"), script, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "home.yaml"), []byte("{"), 0o600))
	for _, test := range []struct{ line, completed string }{
		{"ripple exec ba", "bash"},
		{"ripple ", "exec"},
		{"ripple exec bash 'a b' --cw", "--cwd"},
		{"ripple exec bash '(touch run)' --cw", "--cwd"},
		{"ripple exec bash 'echo $(touch run)' --cw", "--cwd"},
		{"ripple exec bash 'echo a; touch run' --cw", "--cwd"},
		{"ripple exec bash 'echo a >run' --cw", "--cwd"},
		{`ripple exec bash "it's" --cw`, "--cwd"},
		{`ripple exec bash a\;touch\ run --cw`, "--cwd"},
		{"ripple exec bash '' --cw", "--cwd"},
		{"ripple adapter test bash --filter 'a & touch run' --rep", "--report"},
		{dir + "/ripple exec ba", "bash"},
		{"~/ripple exec ba", "bash"},
		{"ripple exec ~/home.yaml --cw", "--cwd"},
	} {
		cmd := exec.Command(fish, "--no-config", "-c", "source ripple.fish; complete -C $LINE")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LINE="+test.line, "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var names []string
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			names = append(names, name)
		}
		assert.Contains(t, names, test.completed, test.line)
		assert.NoFileExists(t, filepath.Join(dir, "run"), test.line)
		_ = os.Remove(filepath.Join(dir, "run")) // usually it does not exist
	}
}
