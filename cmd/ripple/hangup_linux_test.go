package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runHungUp runs ripple as nohup does, in its own process group, sends SIGHUP to the group once ripple
// has printed ready, and then gives it input.
func runHungUp(t *testing.T, dir, ready, input string, args ...string) (rest string, code int) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.Command("/bin/sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh", path}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_RUNTIME_DIR=", "RIPPLE_SCENARIO="+filepath.Join(dir, "play.yaml"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	if ready == "" { // nothing is printed before the first request
		_, err = in.Write([]byte(input))
		require.NoError(t, err)
		_, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	for seen := ""; ready != "" && !strings.Contains(seen, ready); {
		line, err := lines.ReadString('\n')
		seen += line
		require.NoError(t, err, seen)
	}
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP))
	if pipe, err := os.OpenFile(filepath.Join(dir, "go-on"), os.O_WRONLY, 0); err == nil { // a command reads it
		require.NoError(t, pipe.Close())
	}
	_, err = in.Write([]byte(input))
	require.NoError(t, err)
	require.NoError(t, in.Close())
	var all strings.Builder
	_, err = lines.WriteTo(&all)
	require.NoError(t, err)
	_ = cmd.Wait() // the state contains the exit code
	return all.String(), cmd.ProcessState.ExitCode()
}

func TestAnIgnoredHangUpStaysIgnored(t *testing.T) {
	t.Run("exec", func(t *testing.T) {
		rest, code := runHungUp(t, t.TempDir(), "ready", "echo went on\n", "exec", "bash", "--lines", "-e", "echo ready")
		assert.Contains(t, rest, "went on")
		assert.Zero(t, code)
	})
	t.Run("run", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "go-on"), 0o600))
		play := "turns:\n- steps: [{text: ready}, {run: cat go-on}, {text: went on}]\n- steps: [{text: LOOP_COMPLETE}]\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "play.yaml"), []byte(play), 0o600))
		rest, code := runHungUp(t, dir, "ready", "", "run", "--adapter", "rehearsal", "--prompt", "x")
		assert.Contains(t, rest, "went on")
		assert.Contains(t, rest, "complete after 2 turns")
		assert.Zero(t, code, rest)
	})
	t.Run("mcp", func(t *testing.T) {
		const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
		rest, _ := runHungUp(t, t.TempDir(), "", hello, "mcp")
		assert.NotEmpty(t, rest, "the second request is answered, too")
	})
}
