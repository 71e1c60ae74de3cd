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
	"sync"
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
// itself, and runs alone at the same time, so both depend on the speed and the load of the machine.
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
	alone, ended := make(chan time.Duration, 1), make(chan struct{})
	end := sync.OnceFunc(func() { close(ended) })
	t.Cleanup(end)
	if testkit.Thorough {
		go func() { alone <- l.agentAlone(ended) }()
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
			_, finished := l.events()
			assert.GreaterOrEqual(t, len(finished), n.Turn-1)
		}
	}
	_ = cmd.Wait() // the state contains the exit code
	require.Equal(t, ui.ExitLimit, cmd.ProcessState.ExitCode())
	took := time.Since(started) / time.Duration(turns)
	t.Logf("a turn takes %v; kilobytes in memory by turn: %v", took, memory)
	assert.Less(t, memory[turns-early]-memory[early], 8<<10, "kilobytes")
	if testkit.Thorough {
		end()
		turn := <-alone
		t.Logf("its agent alone takes %v", turn)
		assert.Less(t, took, 3*turn)
	}
}

// agentAlone repeats the agent's turn without a loop until ended is closed, and returns its average
// duration, or 0 if it failed.
func (l *testLoop) agentAlone(ended <-chan struct{}) time.Duration {
	dir := l.t.TempDir()
	path, err := binary()
	started, times := time.Now(), 0
	for err == nil {
		select {
		case <-ended:
			return time.Since(started) / time.Duration(max(times, 1))
		default:
		}
		cmd := exec.Command(path, "rehearse", "--", "Do it.")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), scenario.FileVariable+"="+filepath.Join(l.dir, "scenario.yaml"))
		err = cmd.Run()
		times++
	}
	l.t.Errorf("the agent alone: %v", err)
	return 0
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
