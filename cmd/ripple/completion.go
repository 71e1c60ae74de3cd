package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// addCompletion adds the command that writes completions, with a modified script for fish. It is
// called after the root's output is set: the library's command keeps it.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	fish, _, err := root.Find([]string{"completion", "fish"})
	if err != nil {
		return // a later version of the library may have no such command
	}
	for _, shell := range ui.Group(fish.Parent()).Commands() {
		ui.WithoutHome(shell)
	}
	fish.RunE = func(cmd *cobra.Command, _ []string) error {
		bare, err := cmd.Flags().GetBool("no-descriptions")
		return errors.Join(err, writeFish(cmd.OutOrStdout(), root, !bare))
	}
}

// In fish, -o returns words without their quotes, which the library's script passes to eval: Tab
// would run code that is meant for another program, as in `ripple exec bash 'echo $(rm x)'`.
const (
	unquoted = "    set -l args (commandline -opc)\n"
	quoted   = "    set -l words (commandline -opc)\n" +
		"    # quoted again for eval, but for the home directory in the name of a file\n" +
		`    set -l args $words[1] (string escape -- $words | string replace -r '^\\\\~' '~')[2..-1]` + "\n"
)

// writeFish writes the completion for fish.
func writeFish(w io.Writer, root *cobra.Command, descriptions bool) error {
	var script bytes.Buffer
	if err := root.GenFishCompletion(&script, descriptions); err != nil {
		return err
	}
	safe := strings.Replace(script.String(), unquoted, quoted, 1)
	if safe == script.String() {
		return errors.New("unknown completion script for fish, which might run the line being typed")
	}
	_, err := io.WriteString(w, safe)
	return err
}
