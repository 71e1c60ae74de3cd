package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/loopcmd"
	"example.org/ripple/cmd/ripple/internal/ui"
)

var exitCodes = []struct {
	code    int
	meaning string
}{
	{ui.ExitOK, "success; all tests passed; the work of the loop is done"},
	{ui.ExitFailed, "tests failed; the command failed"},
	{ui.ExitUsage, "wrong usage, or an invalid file"},
	{ui.ExitMissing, "something is missing: the program of an adapter, a prompt, git"},
	{ui.ExitTimeout, "timed out, or the command waits for input or is stopped"},
	{ui.ExitLimit, "a limit was reached: the provider's, the number of the agent's steps, or a budget of the loop; or the provider is overloaded or unreachable"},
	{loopcmd.ExitOpen, "the loop stopped: the circuit is open, usually for lack of progress"},
	{loopcmd.ExitUnverified, "the loop stopped: the agent claimed that the work is done, but verification failed"},
	{ui.ExitBlocked, "the agent is blocked: a tool was denied, no user is logged in, or it has a question"},
	{ui.ExitInterrupted, "interrupted, or asked to end by a signal"},
	{ui.ExitPipe, "standard output was closed by its reader"},
}

func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("ripple ends with one of these exit codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %-5d%s\n", c.code, c.meaning)
	}
	b.WriteString("\n`ripple exec` exits with the code of the last command if the program reports one,\n" +
		"or with the program's own exit code if the program has ended. Such a code may\n" +
		"equal one of this table; only ripple's own comes with a message on standard error.")
	return &cobra.Command{Use: "exit-codes", Short: "The exit codes of ripple", Long: b.String()}
}
