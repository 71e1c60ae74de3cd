package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// Main runs one command line and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	a := newApp(stdin, stdout, stderr, cancel)
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	return a.end(cmd, err)
}

func newRoot(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "ripple",
		Short: "Drive any interactive program from one YAML file",
		Long: "ripple drives interactive programs: shells, REPLs, debuggers and coding\n" +
			"agents. Each program is described by one YAML file, its adapter; ripple tests\n" +
			"adapters against the real program, runs commands in sessions of it and lets\n" +
			"agents take turns.",
		Example: "  ripple adapter test bash\n  ripple exec python -- '1 + 1'\n  ripple agent run \"what does this project do?\"",
		Version: version(),
	})
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("ripple {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(newAdapter(a), newAgent(a), newDoctor(a), newExec(a), newRehearse(a), newRun(a), newInit(a), newStatus(a), newWatch(a), newReplay(a), newReset(a), newStop(a), newSchema(a), newVersion(a), newExitCodes())
	return root
}

// newHelp explains a command, and says so when there is none of that name.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return noCommand(cmd, rest[0])
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// group makes a command that only holds others: alone it shows its help, and a
// word that is none of its commands is an error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return noCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

func noCommand(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	return usageError(didYouMean(cmd.SuggestionsFor(word), seeHelp(cmd)), "%s has no command %q", cmd.CommandPath(), word)
}

// noArgs refuses arguments in our own words.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(seeHelp(cmd), "%s takes no argument, and got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
