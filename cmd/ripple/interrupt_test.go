//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// started returns the binary running in its own process group, without a terminal, after its
// command has touched the file.
func started(t *testing.T, touched string, stderr io.Writer, args ...string) (cmd *exec.Cmd, stdout *bytes.Buffer) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd, stdout = exec.Command(path, args...), &bytes.Buffer{}
	tmp := "TMPDIR=" + t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), tmp)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = stdout, stderr, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it should have ended
		// If it was killed, its program ends later, and the keeper then removes its files: the directories cannot be removed before.
		assert.Eventually(t, func() bool { return len(testkit.ProcessesWith(tmp)) == 0 }, testkit.Patience(30*time.Second), 5*time.Millisecond)
	})
	require.Eventually(t, func() bool { _, err := os.Stat(touched); return err == nil }, testkit.Patience(30*time.Second), time.Millisecond)
	return cmd, stdout
}

// forever is an endless command that starts no program, and commands before it should not either:
// an interrupt at the moment when bash starts or reaps a program may be lost, as on any terminal.
const forever = "while :; do :; done"

// A single interrupt of any of the processes ends the command, and the session continues.
func TestOneInterruptEndsOneCommand(t *testing.T) {
	for _, to := range []string{"process", "group"} {
		t.Run(to, func(t *testing.T) {
			heed(t, syscall.SIGINT)
			up := filepath.Join(t.TempDir(), "up")
			cmd, stdout := started(t, up, nil, "exec", "bash", "-e", ": > "+up+"; "+forever, "-e", "echo next")
			pid := cmd.Process.Pid
			if to == "group" {
				pid = -pid
			}
			require.NoError(t, syscall.Kill(pid, syscall.SIGINT))
			require.NoError(t, cmd.Wait())
			assert.Equal(t, "next", strings.TrimSpace(stdout.String()))
		})
	}
}

// The record names what ended the wait for a command.
func TestTheRecordNamesTheEndOfTheWait(t *testing.T) {
	for _, tt := range []struct {
		name    string
		signals []syscall.Signal
	}{
		{"SIGTERM", []syscall.Signal{syscall.SIGTERM}},
		{"second SIGINT", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			heed(t, tt.signals[0])
			up := filepath.Join(t.TempDir(), "up")
			stderr := &awaited{text: []byte("to end the session: Ctrl-C again"), came: make(chan struct{})}
			cmd, stdout := started(t, up, stderr, "exec", "bash", "--json", "trap '' INT; touch "+up+"; while :; do :; done")
			for i, s := range tt.signals {
				if i > 0 {
					<-stderr.came
				}
				require.NoError(t, cmd.Process.Signal(s))
			}
			_ = cmd.Wait() // the state contains the exit code
			assert.Equal(t, ui.ExitInterrupted, cmd.ProcessState.ExitCode())
			var r struct {
				CompletedBy string `json:"completed_by"`
				Error       bool
				Failure     string
			}
			require.NoError(t, json.Unmarshal(stdout.Bytes(), &r), stdout)
			assert.Equal(t, "interrupt", r.CompletedBy)
			assert.Equal(t, "the wait was canceled; the command is still running", r.Failure)
			assert.True(t, r.Error)
		})
	}
}

// A recording is complete even if nothing could close it.
func TestARecordingSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	up, cast := filepath.Join(dir, "up"), filepath.Join(dir, "session.cast")
	cmd, _ := started(t, up, nil, "exec", "bash", "--record", cast, "echo hello; touch "+up+"; sleep 1000")
	require.Eventually(t, func() bool { return strings.Contains(recorded(cast), "hello\r\n") }, testkit.Patience(30*time.Second), time.Millisecond)
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait())
	assert.Contains(t, recorded(cast), "hello\r\n")
}

// recorded returns the output in a recording, which has an event for each read of the terminal. The
// recording may be absent or incomplete.
func recorded(cast string) string {
	text, _ := os.ReadFile(cast) // absent: nothing yet
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		var at float64
		var code, data string
		if json.Unmarshal([]byte(line), &[]any{&at, &code, &data}) == nil && code == "o" {
			out.WriteString(data)
		}
	}
	return out.String()
}

func TestCtrlCBetweenCommandsDoesNotEndTheSession(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "exec", "bash", "--lines", "--json") // its record, printed as one line, marks the end of a command
	c.send("echo o''ne\n")
	c.expect(`"bytes":4}`)
	c.send("\x03")
	c.expect("no command is running; to end the session: Ctrl-C again")
	c.send("echo t''wo\n")
	c.expect(`"bytes":4}`)
	c.send("\x03")
	c.expect("no command is running")
	c.send("\x03")
	_, code := c.exit()
	assert.Equal(t, ui.ExitInterrupted, code)
}

// An interrupt that does not come from the terminal counts.
func TestAnInterruptFromElsewhereCountsOnATerminal(t *testing.T) {
	c := onTerminal(t, "exec", "bash", "-e", "echo started; "+forever, "-e", "echo next")
	c.expect("started")
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGINT))
	c.expect("next")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}
