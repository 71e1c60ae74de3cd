//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// A long loop needs no more memory and reads no more for a turn at its end than near its beginning, and its events can be
// read at any moment. BENCHMARKS.md has how long a turn takes.
func TestLongLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("many turns")
	}
	t.Parallel()
	turns := testkit.Times(t, 40, 1000)
	early := min(25, turns/4)
	l := newTestLoop(t, `turns: [{steps: [{text: "Turn {turn}."}, {tool: {name: Read, input: {file_path: a}, result: "`+strings.Repeat("text ", 200)+`"}}]}]`)
	cmd := l.command("--json", "--max-turns", strconv.Itoa(turns))
	cmd.Env = append(cmd.Env, "CB_NO_PROGRESS_THRESHOLD=100000")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it should have ended
	var memory, read []int                       // every early turns
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n struct {
			Turn int
			Type string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &n))
		if n.Type == "turn_started" && n.Turn%early == 0 && n.Turn < turns { // after the last one the loop may have ended
			pid := inner(cmd.Process.Pid)
			memory = append(memory, procNumber(t, pid, "status", "VmRSS:"))
			read = append(read, procNumber(t, pid, "io", "rchar:"))
			_, finished := l.events()
			assert.GreaterOrEqual(t, len(finished), n.Turn-1)
		}
	}
	_ = cmd.Wait() // the state contains the exit code
	require.Equal(t, ui.ExitLimit, cmd.ProcessState.ExitCode())
	t.Logf("every %d turns: %d kilobytes in memory, %d bytes read", early, memory, read)
	last := len(read) - 1
	assert.Less(t, memory[last]-memory[0], 8<<10, "kilobytes")
	assert.Less(t, read[last]-read[last-1], 2*(read[1]-read[0]), "bytes")
}

// procNumber returns a number from a file of a process in /proc.
func procNumber(t *testing.T, pid int, file, label string) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(data), label)
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return n
}
