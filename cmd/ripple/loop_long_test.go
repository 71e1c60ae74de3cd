//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/internal/testkit"
)

// A long loop needs no more memory at its end than near its beginning, its events can be read at
// any moment, and a turn takes less than three times as long as its agent alone. The agent is ripple
// itself, so both times grow and shrink with the speed of the machine.
func TestLongLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("many turns")
	}
	if !testkit.Thorough { // then it is timed
		t.Parallel()
	}
	turns := testkit.Times(t, 40, 1000)
	early := min(25, turns/4)
	l := newTestLoop(t, `turns: [{steps: [{text: "Turn {turn}."}, {tool: {name: Read, input: {file_path: a}, result: "`+strings.Repeat("text ", 200)+`"}}]}]`)
	alone := time.Duration(0)
	if testkit.Thorough {
		alone = l.agentAlone(50)
	}
	cmd := l.command("--json", "--max-turns", strconv.Itoa(turns))
	cmd.Env = append(cmd.Env, "CB_NO_PROGRESS_THRESHOLD=100000")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	started := time.Now()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it should have ended
	memory := map[int]int{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n struct {
			Turn int
			Type string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &n))
		if n.Type == "turn_started" && n.Turn%early == 0 && n.Turn < turns { // after the last one the loop may have ended
			memory[n.Turn] = resident(t, inner(cmd.Process.Pid))
			_, ended := l.events()
			assert.GreaterOrEqual(t, len(ended), n.Turn-1)
		}
	}
	_ = cmd.Wait() // the state contains the exit code
	require.Equal(t, ui.ExitLimit, cmd.ProcessState.ExitCode())
	took := time.Since(started) / time.Duration(turns)
	t.Logf("a turn takes %v; kilobytes in memory by turn: %v", took, memory)
	assert.Less(t, memory[turns-early]-memory[early], 8<<10, "kilobytes")
	if testkit.Thorough {
		alone = min(alone, l.agentAlone(50))
		t.Logf("its agent alone takes %v", alone)
		assert.Less(t, took, 3*alone)
	}
}

// agentAlone returns the duration of the agent's turn without a loop.
func (l *testLoop) agentAlone(times int) time.Duration {
	l.t.Helper()
	path, err := binary()
	require.NoError(l.t, err)
	started := time.Now()
	for range times {
		cmd := exec.Command(path, "rehearse", "--", "Do it.")
		cmd.Dir, cmd.Env = l.dir, append(os.Environ(), scenario.FileVariable+"="+filepath.Join(l.dir, "scenario.yaml"))
		require.NoError(l.t, cmd.Run())
	}
	return time.Since(started) / time.Duration(times)
}

// resident returns the resident memory of a process, in kilobytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return n
}
