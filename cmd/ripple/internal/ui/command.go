package ui

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Group makes a command that only holds others: alone it shows its help, and a
// word that is none of its commands is an error.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return NoCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// NoCommand says that a group of commands has none of that name.
func NoCommand(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	return UsageError(DidYouMean(cmd.SuggestionsFor(word), SeeHelp(cmd)), "%s has no command %q", cmd.CommandPath(), word)
}

// NoArgs refuses arguments in our own words.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UsageError(SeeHelp(cmd), "%s takes no argument, and got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// SeeHelp is the hint that names a command's help.
func SeeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}
