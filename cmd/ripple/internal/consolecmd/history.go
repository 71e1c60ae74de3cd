package consolecmd

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

func newHistory(a *ui.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [CONSOLE]",
		Short: "List the recorded commands of a console",
		Long: `List the commands of a console whose output can be read, with their exit codes: the latest
4,000 or so, fewer if their code is long.`,
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
				a.Printf("%6d  exit %-4s %10d bytes  %s\n", cmd.ID, code, cmd.Bytes, ui.Harmless(ui.FirstLine(cmd.Code)))
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
