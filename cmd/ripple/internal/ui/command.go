package ui

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/runtime/loop/config"
)

// Group turns cmd into a command that only has subcommands: without arguments it shows its help,
// and an unknown subcommand is an error.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return NoCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return WithoutHome(cmd)
}

// NoCommand returns the error for an unknown subcommand.
func NoCommand(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	return UsageError(DidYouMean(cmd.SuggestionsFor(word), SeeHelp(cmd)), "%s has no command %q", cmd.CommandPath(), word)
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UsageError(SeeHelp(cmd), "%s takes no arguments, not %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// SeeHelp returns the hint that names a command's help.
func SeeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("see %s --help", cmd.CommandPath())
}

// AcceptDays lets the flags of a command and its subcommands that take a duration accept days.
func AcceptDays(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "duration" {
			f.Value = inDays{f.Value}
		}
	})
	for _, sub := range cmd.Commands() {
		AcceptDays(sub)
	}
}

// inDays is the value of a flag that takes a duration.
type inDays struct{ pflag.Value }

func (v inDays) Set(text string) error {
	d, err := config.ParseDuration(text)
	if err != nil {
		return err
	}
	return v.Value.Set(d.String())
}

// CheckDurations refuses negative durations of flags: they would be taken for "no limit".
func CheckDurations(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "duration" && strings.HasPrefix(f.Value.String(), "-") {
			err = UsageError("", "--%s must be at least 0, not %s", f.Name, f.Value)
		}
	})
	return err
}
