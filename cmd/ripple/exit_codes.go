package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/ripple/cmd/ripple/internal/loopcmd"
	"example.com/ripple/cmd/ripple/internal/ui"
)

var exitCodes = []struct {
	code    int
	meaning string
}{
	{ui.ExitOK, "it worked; all tests passed; the loop is done"},
	{ui.ExitFailed, "tests failed; the command failed"},
	{ui.ExitUsage, "wrong usage, or a file that is not valid"},
	{ui.ExitMissing, "something needed is missing: the program of an adapter, a prompt, git"},
	{ui.ExitTimeout, "timed out"},
	{ui.ExitLimit, "a limit was reached: of the provider, of the agent's steps, or a budget of the loop"},
	{loopcmd.ExitOpen, "the loop stopped: the circuit is open, it makes no progress"},
	{loopcmd.ExitUnverified, "the loop stopped: done was claimed and not verified"},
	{ui.ExitBlocked, "the agent is blocked: a tool was refused, no user is logged in, or it has a question"},
	{ui.ExitInterrupted, "interrupted, or asked to end by a signal"},
	{ui.ExitPipe, "the reader of standard output went away"},
}

func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("ripple ends with one of these exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %-5d%s\n", c.code, c.meaning)
	}
	b.WriteString("\n`ripple exec` passes on the exit code of the last command where the program\n" +
		"reports one, and of the program itself when it ended; then a code of this table\n" +
		"may be the program's own. A message on standard error identifies ripple's own.")
	return &cobra.Command{Use: "exit-codes", Short: "The exit codes of ripple", Long: b.String()}
}
