package consolecmd

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// problems says why the result of a command, or a part of its output, is missing.
func problems(cmd console.Command) (all []string) {
	if cmd.Failure != "" {
		all = append(all, cmd.Failure)
	}
	if cmd.Lost > 0 {
		all = append(all, fmt.Sprintf("%d bytes of its output were lost", cmd.Lost))
	}
	return all
}

func newHistory(a *ui.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [CONSOLE]",
		Short: "List the recorded commands of a console",
		Long: `List the commands that were run in a console, oldest first, one per line: the number of the
command, its exit code, the size of its output in bytes, and the first line of its code. The
exit code is "-" if the command still runs, or if there is none. The line ends with the reason in
parentheses if the command was not sent or did not complete, or if a part of its output was lost.
"ripple console read --command NUMBER" prints the output of one.

CONSOLE may be omitted if there is only one. About 4,000 commands are kept, fewer if their code
is long. The console and its program are not disturbed. If the console does not answer, the
commands that are on disk are listed.

The exit code is 0, or 2 if there is no such console.`,
		Example:           "  ripple console history work\n  ripple console history work --json",
		Args:              atMost(1),
		ValidArgsFunction: completeNames(a),
		RunE: onConsole(a, func(_ context.Context, c *console.Client) error {
			all, err := c.History()
			switch {
			case err != nil:
				return explain(err)
			case asJSON:
				return a.PrintJSON(append([]console.Command{}, all...))
			}
			for _, cmd := range all {
				code := "-"
				if cmd.ExitCode != nil {
					code = strconv.Itoa(*cmd.ExitCode)
				}
				row := fmt.Sprintf("%6d  exit %-4s %10d bytes  %s", cmd.ID, code, cmd.Bytes, ui.FirstLine(cmd.Code))
				for _, problem := range problems(cmd) {
					row += "  (" + ui.FirstLine(problem) + ")"
				}
				a.Printf("%s\n", ui.Harmless(row))
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}
