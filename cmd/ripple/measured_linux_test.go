package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// measuredName is the name under which this test binary runs a command and reports its memory.
const measuredName = "measured"

func init() { commands[measuredName] = measured }

// measuredCommand returns a command, and a function that returns its peak of resident memory in KB
// after it has ended. Linux counts the memory of the process that started a program as the
// program's own: if the tests are large, the program is started by a small process.
func measuredCommand(ctx context.Context, t *testing.T, path string, args ...string) (cmd *exec.Cmd, peak func() int64) {
	t.Helper()
	var tests syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &tests))
	if tests.Maxrss < maxResident/2 {
		cmd = exec.CommandContext(ctx, path, args...)
		return cmd, func() int64 { return maxrss(cmd.ProcessState) }
	}
	self, err := os.Executable()
	require.NoError(t, err)
	report, err := os.CreateTemp(t.TempDir(), "memory")
	require.NoError(t, err)
	cmd = exec.CommandContext(ctx, self)
	cmd.Args, cmd.ExtraFiles = append([]string{measuredName, path}, args...), []*os.File{report}
	return cmd, func() int64 {
		text, err := os.ReadFile(report.Name())
		require.NoError(t, errors.Join(err, report.Close()))
		kb, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		require.NoError(t, err, "the memory was not reported")
		return kb
	}
}

// measured is that small process.
func measured() {
	runtime.LockOSThread() // whose end would kill the command
	const reportFile = 3
	syscall.CloseOnExec(reportFile)
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.NewFile(reportFile, "report"), maxrss(cmd.ProcessState))
	os.Exit(cmd.ProcessState.ExitCode())
}

// maxrss returns the peak of resident memory in KB.
func maxrss(ended *os.ProcessState) int64 { return ended.SysUsage().(*syscall.Rusage).Maxrss }
