package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// newHelp returns the command that explains commands, and reports unknown ones.
func newHelp(root *cobra.Command) *cobra.Command {
	var whole bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Help about any command",
		Long: `Print the help of a command. With --llms, print the help of all commands as one text: the
manual for a model that uses ripple.`,
		Example: "  ripple help exec\n  ripple help console start\n  ripple help --llms",
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return ui.NoCommand(cmd, rest[0])
			}
			if whole {
				return manual(help.OutOrStdout(), cmd)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range shown(cmd) {
				names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&whole, "llms", false, "print the whole manual as one Markdown text, for models")
	return cmd
}

// shown returns the visible subcommands of cmd, and its help topics.
func shown(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			list = append(list, sub)
		}
	}
	return list
}

// manual writes the help of a command and its subcommands.
func manual(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
	ui.Placeholders(cmd)
	section(&b, cmd)
	_, err := io.WriteString(w, b.String())
	return err
}

func section(b *strings.Builder, cmd *cobra.Command) {
	level := "##"
	if !cmd.HasParent() {
		level = "#"
	}
	fmt.Fprintf(b, "%s %s\n\n> %s\n\n", level, cmd.CommandPath(), cmd.Short)
	if cmd.Runnable() && !cmd.HasSubCommands() {
		fmt.Fprintf(b, "    %s\n\n", cmd.UseLine())
	}
	if cmd.Long != "" {
		fmt.Fprintf(b, "%s\n\n", cmd.Long)
	}
	if cmd.HasExample() {
		fmt.Fprintf(b, "Examples:\n\n%s\n\n", ui.Indent(strings.TrimRight(cmd.Example, "\n")))
	}
	if flags := strings.TrimRight(cmd.LocalFlags().FlagUsages(), "\n"); flags != "" {
		fmt.Fprintf(b, "Flags:\n\n%s\n\n", ui.Indent(flags))
	}
	for _, sub := range shown(cmd) {
		if !repeated(sub) {
			section(b, sub)
		}
	}
}

// repeated reports whether the manual omits a command because its text occurs elsewhere: completion
// has the same text for four shells, and the commands of loop have short forms.
func repeated(cmd *cobra.Command) bool {
	return cmd.Name() == "completion" || cmd.HasParent() && cmd.Parent().CommandPath() == "ripple loop"
}
