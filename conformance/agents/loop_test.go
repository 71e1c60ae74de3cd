package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// work is the command that the agent's tool runs in each turn: it edits a file, and its output
// becomes the model's answer. From the second turn on it claims to be done.
const work = `n=$(($(cat turn 2>/dev/null || echo 0) + 1))
echo $n >turn
echo "line $n" >>work.txt
status=IN_PROGRESS exit=false
if [ $n -ge 2 ]; then status=COMPLETE exit=true; fi
printf -- 'worked\n---RALPH_STATUS---\nSTATUS: %s\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: %s\n---END_RALPH_STATUS---\n.\n' $status $exit
`

// loop runs a loop with the real program: turns in one session, a tool that edits a file, a done
// claim whose verification fails once, and a verified end.
func loop(t *testing.T, r rig) {
	if d := r.differs(t); d.Unseen {
		t.Skip(d.Because)
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.work, "work.sh"), []byte(work), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := r.command(ctx, t, "tool/run=sh%20work.sh")
	cmd.Args = []string{
		r.ripple, "run", "--adapter", r.adapter, "--json", "--prompt", "Work on work.txt.",
		"--verify", "test $(wc -l <work.txt) -ge 4", "--max-turns", "6",
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is checked
	assert.Empty(t, leftovers(r.home), "processes that outlived ripple")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("exit code %d\n%s\n%s", cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
		}
	})
	assert.Equal(t, exitOK, cmd.ProcessState.ExitCode())
	written, err := os.ReadFile(filepath.Join(r.work, "work.txt"))
	require.NoError(t, err)
	assert.Equal(t, "line 1\nline 2\nline 3\nline 4\n", string(written))

	count, last := map[string]int{}, map[string]any{}
	for line := range strings.Lines(stdout.String()) {
		last = map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &last), line)
		count[last["type"].(string)]++
	}
	assert.Equal(t, "project_complete", last["reason"])
	assert.Equal(t, true, last["verified"])
	assert.Equal(t, 4, count["turn_started"])
	assert.Equal(t, 2, count["verifying"], "the first claim is not verified")
	assert.GreaterOrEqual(t, count["tool_use"], 4)
	assert.Zero(t, count["unknown"])
	if asked := r.asked(); told(asked, "Turn 4 of at most 6.") { // otherwise it is in the system prompt, which is not logged
		assert.True(t, told(asked, "Not done yet, the check failed"), "the agent gets the reason")
	}
}
