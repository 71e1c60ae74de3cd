package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
)

// newHelp explains a command, and says so when there is none of that name.
func newHelp(root *cobra.Command) *cobra.Command {
	var whole bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Help about any command",
		Long: `Explain a command, or with --llms all of them in one text: what a model has to read to
use ripple without trying.`,
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

// shown are the commands below one that people see, and what is only text.
func shown(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			list = append(list, sub)
		}
	}
	return list
}

// manual writes all that is known of a command and of those below it.
func manual(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
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
		if sub.Name() != "completion" { // four shells' words for the same
			section(b, sub)
		}
	}
}
