package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/prefork"
	"example.org/ripple/cmd/ripple/internal/ui"
)

// The outer process starts before most of the program is initialized: its part of the trace, which
// comes first, ends long before the other's.
func TestTheOuterProcessInitializesLittle(t *testing.T) {
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.Command(path, "exec", "nosuch", "true")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.Error(t, cmd.Run())
	assert.Equal(t, ui.ExitUsage, cmd.ProcessState.ExitCode(), stderr.String())
	const begin = "init runtime "
	parts := strings.Split(stderr.String(), begin)
	require.Len(t, parts, 3, "two processes: %s", stderr.String())
	assert.NotContains(t, parts[1], "init unicode ")
	assert.Contains(t, parts[2], "init unicode ")
}

// The program of a plain exec is started before most of its process is initialized.
func TestThePlainProgramIsStartedAhead(t *testing.T) {
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.Command(path, "exec", "bash", "echo hello; (exit 3)")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+t.TempDir())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.Error(t, cmd.Run())
	assert.Equal(t, 3, cmd.ProcessState.ExitCode(), stderr.String())
	assert.Equal(t, "hello\n", stdout.String())
	ahead, rest, found := strings.Cut(stderr.String(), "init example.org/ripple/cmd/ripple/internal/prestart ")
	require.True(t, found, stderr.String())
	for _, late := range []string{"init net ", "init github.com/santhosh-tekuri/jsonschema/v5 ", "init net/http "} {
		assert.NotContains(t, ahead, late)
		assert.Contains(t, rest, late)
	}
}

// The host of a plain console start receives its order before most of the starting process is
// initialized, and the console is the requested one.
func TestTheHostOfAPlainStartGetsItsOrderEarly(t *testing.T) {
	path, err := binary()
	require.NoError(t, err)
	dir, home := t.TempDir(), t.TempDir()
	run := func(args ...string) (stdout, stderr string) {
		cmd := exec.Command(path, append([]string{"console"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME=", "GODEBUG=inittrace=1")
		var out, trace strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &trace
		require.NoError(t, cmd.Run(), trace.String())
		return out.String(), trace.String()
	}
	defer run("close", "--all", "--kill")
	same := map[string]bool{}
	for _, args := range [][]string{
		{"start", "--json"},                          // all but the last are sent early
		{"start", "bash", "--json"},                  //
		{"start", "gnu-bash", "--json"},              // an alias
		{"start", "bash", "--json", "--cols", "120"}, // the adapter's own size, but not plain
	} {
		stdout, _ := run(args...)
		var status map[string]any
		require.NoError(t, json.Unmarshal([]byte(stdout), &status), stdout)
		kept, err := json.Marshal([]any{status["adapter"] == "bash" || status["adapter"] == "gnu-bash", status["cwd"], status["state"], status["cols"], status["rows"]})
		require.NoError(t, err)
		same[string(kept)] = true
	}
	assert.Len(t, same, 1, "%v", same)
}

func TestPreforkKnowsCommands(t *testing.T) {
	for line, want := range map[string]bool{
		"exec bash true":       true,
		"run":                  true,
		"run --adapter x":      true,
		"run --dry-run":        false,
		"adapter test bash":    true,
		"agent run x":          true,
		"console host":         true,
		"adapter list":         false,
		"adapter":              false,
		"version":              false,
		"--help":               false,
		"console start bash":   false,
		"":                     false,
		"-test.run=TestX exec": false,
	} {
		args := strings.Fields(line)
		assert.Equal(t, want, prefork.Guarded(args), line)
		if want {
			_, _, err := newRoot(ui.NewApp(nil, nil, nil, nil)).Find(args)
			assert.NoError(t, err, "the command exists: %s", line)
		}
	}
}
