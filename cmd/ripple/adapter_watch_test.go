//go:build linux

package main

import (
	"bufio"
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

	"example.org/ripple/internal/testkit"
)

const watchedAdapter = `schema: 1
name: mini
version: 1.0.0
description: a shell with a fixed prompt
family: shell
process: {command_template: '"{shell_path}" -i', executable: sh, env: {PS1: 'mini> '}}
init: {strategy: regex}
prompt: {strategy: regex, primary: '^mini> $'}
output: {input_echo_strategy: deterministic_byte_match}
tests: [{name: one, eval: 'TEST', expect: '^done$', timeout_ms: 60000}]
`

// A file is tested again when it changes, regardless of how an editor saves it and of errors in
// between; a change stops a running test, and an interrupt is the normal end.
func TestAdapterTestWatches(t *testing.T) {
	t.Parallel()
	heed(t, syscall.SIGINT)
	path, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	file, up := filepath.Join(dir, "mini.yaml"), filepath.Join(dir, "up")
	save := func(test string) {
		text := strings.Replace(watchedAdapter, "TEST", test, 1)
		require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(file+".new", file)) // like most editors
	}
	save("echo done")
	cmd := exec.Command(path, "adapter", "test", "mini.yaml", "--no-derived", "--watch")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir())
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it should have ended
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		_ = in.Close() // closing cannot fail
		ended <- err
	}()
	said := lines(out)

	says(t, said, "mini: 1 passed")
	says(t, said, "waiting for a change of mini.yaml")
	save("echo other")
	says(t, said, "mini.yaml has changed")
	says(t, said, "FAIL  mini: one")
	says(t, said, "waiting for a change")

	require.NoError(t, os.WriteFile(file, nil, 0o600)) // the first half of saving in place
	require.NoError(t, os.WriteFile(file, []byte("schema: ["), 0o600))
	says(t, said, "is never closed")
	says(t, said, "waiting for a change")

	save("touch " + up + "; sleep 60")
	require.Eventually(t, func() bool { _, err := os.Stat(up); return err == nil }, testkit.Patience(30*time.Second), time.Millisecond)
	save("echo done")
	says(t, said, "mini.yaml has changed")
	assert.NotContains(t, says(t, said, "mini: 1 passed"), "FAIL", "an interrupted run prints nothing")
	says(t, said, "waiting for a change")

	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	for range said { // read to the end
	}
	assert.NoError(t, <-ended, "an interrupt is the normal end")
}

func lines(r io.Reader) <-chan string {
	said := make(chan string)
	go func() {
		defer close(said)
		for s := bufio.NewScanner(r); s.Scan(); {
			said <- s.Text()
		}
	}()
	return said
}

// says waits for a line that contains the text, and returns all output up to it.
func says(t *testing.T, said <-chan string, text string) string {
	t.Helper()
	var all []string
	late := time.After(testkit.Patience(time.Minute))
	for {
		select {
		case line, more := <-said:
			require.True(t, more, "it ended before %q: %s", text, all)
			all = append(all, line)
			if strings.Contains(line, text) {
				return strings.Join(all, "\n")
			}
		case <-late:
			require.Fail(t, "missing output "+text, "%s", all)
		}
	}
}
