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

	"example.org/ripple/cmd/ripple/internal/ui"
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
	dir := t.TempDir()
	file, up := filepath.Join(dir, "mini.yaml"), filepath.Join(dir, "up")
	save := func(test string) {
		text := strings.Replace(watchedAdapter, "TEST", test, 1)
		require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(file+".new", file)) // like most editors
	}
	save("echo done")
	cmd, said, ended := watching(t, dir, append(os.Environ(), "HOME="+t.TempDir()), "mini.yaml")

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

// A project's adapter that changes while it is watched or tried is approved again before it runs, also if
// its file was not there, or did not load, in between.
func TestAChangedAdapterOfAProjectNeedsApprovalAgain(t *testing.T) {
	t.Parallel()
	heed(t, syscall.SIGINT)
	const file = ".ripple/adapters/mini.yaml"
	text := named("mini", "small")
	h := newHostile(t, map[string]string{file: text})
	evil := filepath.Join(filepath.Dir(h.dir), "evil")
	save := func(text string) {
		t.Helper()
		at := filepath.Join(h.dir, file)
		require.NoError(t, os.WriteFile(at+".new", []byte(strings.ReplaceAll(text, "EVIL", evil)), 0o600))
		require.NoError(t, os.Rename(at+".new", at))
	}
	changed := text + "aliases: [other]\n"
	changed = strings.Replace(changed, "aliases: [small]\n", "", 1)
	_, code := h.run("trust")
	require.Zero(t, code)

	cmd, said, ended := watching(t, h.dir, h.environ, "mini")
	says(t, said, "waiting for a change")
	require.FileExists(t, h.ran, "it was approved")
	require.NoError(t, os.Remove(h.ran))
	for _, one := range []string{changed, "schema: [", changed + "# and again\n"} {
		save(one)
		seen := says(t, said, "waiting for a change")
		assert.NoFileExists(t, h.ran, seen)
		if one != "schema: [" {
			assert.Contains(t, seen, "commands that have not been approved")
		}
	}
	save(text)
	says(t, said, "waiting for a change")
	assert.FileExists(t, h.ran, "these contents are approved")
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	for range said { // read to the end
	}
	assert.NoError(t, <-ended)

	save("schema: [") // which may be fixed while it is watched
	require.NoError(t, os.Remove(h.ran))
	_, said, _ = watching(t, h.dir, h.environ, "mini")
	says(t, said, "waiting for a change")
	save(changed)
	assert.Contains(t, says(t, said, "waiting for a change"), "commands that have not been approved")
	assert.NoFileExists(t, h.ran)

	save(text)
	path, err := binary()
	require.NoError(t, err)
	c := withEnviron(t, h.environ, "/bin/sh", "-c", "cd "+h.dir+" && exec "+path+" adapter try mini")
	c.expect("ended: prompt.primary")
	require.NoError(t, os.Remove(h.ran))
	save(changed)
	rest, code := c.exit()
	assert.Equal(t, ui.ExitUsage, code)
	assert.Contains(t, rest, "has changed, and has not been approved again")
	assert.NoFileExists(t, h.ran)
}

// watching starts a test of an adapter that is repeated when it changes.
func watching(t *testing.T, dir string, environ []string, name string) (cmd *exec.Cmd, said <-chan string, ended <-chan error) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	cmd = exec.Command(path, "adapter", "test", name, "--no-derived", "--watch")
	cmd.Dir, cmd.Env = dir, environ
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it should have ended
	end := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		_ = in.Close() // closing cannot fail
		end <- err
	}()
	return cmd, lines(out), end
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
