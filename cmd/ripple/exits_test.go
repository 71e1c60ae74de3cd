package main

import (
	"errors"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits is a script command: `exits CODE COMMAND…` runs a command that must end with this exit
// code. Its output is written to the files out and err.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := code(ts, ts.Exec(args[1], args[2:]...))
	if got != want {
		ts.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func code(ts *testscript.TestScript, err error) int {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return 0
	case !ok:
		ts.Check(err)
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
		ts.Fatalf("ended by a signal: %v", status.Signal())
	}
	return exit.ExitCode()
}
