package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ripple/runtime/loop"
)

// Exit codes. Those of a loop are runtime/loop's; 6 and 7 only it has.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitMissing     = 3
	exitTimeout     = 4
	exitLimit       = 5
	exitBlocked     = 8
	exitInterrupted = 130 // 128 + SIGINT, as shells say it
	exitPipe        = 141 // 128 + SIGPIPE
)

var exitCodes = []struct {
	code    int
	meaning string
}{
	{exitOK, "it worked; all tests passed; the loop is done"},
	{exitFailed, "tests failed; the command failed"},
	{exitUsage, "wrong usage, or a file that is not valid"},
	{exitMissing, "something needed is missing: the program of an adapter, a prompt, git"},
	{exitTimeout, "timed out"},
	{exitLimit, "a limit was reached: of the provider, of the agent's steps, or a budget of the loop"},
	{loop.ExitOpen, "the loop stopped: the circuit is open, it gets nowhere"},
	{loop.ExitUnverified, "the loop stopped: done was claimed and not verified"},
	{exitBlocked, "the agent is blocked: a tool was refused, nobody is logged in, or it has a question"},
	{exitInterrupted, "interrupted, or asked to end by a signal"},
	{exitPipe, "the reader of standard output went away"},
}

// exitError is an error that knows the exit code it leads to. A nil err ends
// the command without a message: everything was said already.
type exitError struct {
	code int
	err  error
	hint string // what to do next, in one line or several
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exitWith ends with a code and says nothing more; nil for 0.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// usageError is a command line that cannot be carried out.
func usageError(hint, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// failWith is an error with the code it leads to and what to do about it.
func failWith(code int, err error, hint string) error {
	return &exitError{code: code, err: err, hint: hint}
}

// asExit gives an error its exit code: what no command of ours classified is
// cobra's, and that is always about usage.
func asExit(cmd *cobra.Command, err error) *exitError {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e
	}
	return &exitError{code: exitUsage, err: err, hint: seeHelp(cmd)}
}

func seeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}

func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("ripple ends with one of these exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %-5d%s\n", c.code, c.meaning)
	}
	b.WriteString("\n`ripple exec` passes on the exit code of the last command where the program\n" +
		"reports one, and of the program itself when it ended; then a code of this table\n" +
		"may be the program's own. A message on standard error tells ripple's apart.")
	return &cobra.Command{Use: "exit-codes", Short: "What ripple's exit codes mean", Long: b.String()}
}
