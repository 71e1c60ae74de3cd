//go:build unix

package loop

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

func logFile(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestVerify(t *testing.T) {
	tests := []struct {
		name     string
		commands []string
		want     []string
	}{
		{"it works", []string{"true"}, []string{"`true`: ok"}},
		{"it fails", []string{"echo oh no; exit 3"}, []string{"`echo oh no; exit 3`: exit code 3: oh no"}},
		{"what it prints to either, on one line", []string{"echo a; echo b >&2; false"}, []string{"`echo a; echo b >&2; false`: exit code 1: a b"}},
		{"up to the first that fails", []string{"true", "false", "true"}, []string{"`true`: ok", "`false`: exit code 1"}},
		{"unknown", []string{"no-such-program-x 2>/dev/null"}, []string{"`no-such-program-x 2>/dev/null`: exit code 127"}},
		{"killed", []string{"kill -9 $$"}, []string{"`kill -9 $$`: signal: killed"}},
		{"standard input is empty", []string{"read x || exit 5"}, []string{"`read x || exit 5`: exit code 5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			done, err := verifyAll(t.Context(), nil, t.TempDir(), tt.commands, time.Minute, logFile(t))
			require.NoError(t, err)
			var got []string
			for _, v := range done {
				got = append(got, v.String())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestVerifyRunsInTheProject(t *testing.T) {
	dir := t.TempDir()
	_, err := verifyAll(t.Context(), nil, dir, []string{"echo x > made"}, time.Minute, logFile(t))
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "made"))
}

func TestVerifyEndsTheTreeOnTimeout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	done, err := verifyAll(t.Context(), nil, dir, []string{"trap '' TERM; sleep 1000 & echo $! > child; echo waiting; wait; sleep 1000"}, time.Second, logFile(t))
	require.NoError(t, err)
	require.Len(t, done, 1)
	assert.False(t, done[0].OK)
	assert.Equal(t, "timed out after 1s", done[0].Why)
	assert.Equal(t, "waiting", done[0].Tail)
	assertGone(t, dir)
}

func TestVerifyIsNotHeldUpByAGrandchild(t *testing.T) {
	dir := t.TempDir()
	started := time.Now()
	done, err := verifyAll(t.Context(), nil, dir, []string{"sleep 1000 & echo $! > child"}, time.Minute, logFile(t))
	require.NoError(t, err)
	assert.True(t, done[0].OK)
	assert.Less(t, time.Since(started), 30*time.Second)
	assertGone(t, dir)
}

func TestVerifyCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := verifyAll(ctx, nil, t.TempDir(), []string{"sleep 1000"}, time.Hour, logFile(t))
	assert.ErrorIs(t, err, context.Canceled)
}

func assertGone(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "child"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH || zombie(pid) }, testkit.Patience(10*time.Second), time.Millisecond)
}

// zombie reports whether a process has ended and its new parent has not reaped it yet.
func zombie(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(data), ") Z ")
}

func TestVerifyKeepsTheEndOfLongOutput(t *testing.T) {
	done, err := verifyAll(t.Context(), nil, t.TempDir(), []string{"seq 1 100000; echo the end; false"}, time.Minute, logFile(t))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(done[0].Tail, "100000 the end"), done[0].Tail)
	assert.LessOrEqual(t, len([]rune(done[0].Tail)), maxTail)
}
