package mcpcmd

import (
	"embed"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
)

// clients is what tells each AI client of a server: a line with the file that it
// belongs to, or "run:", and then the text, in which %s is the path of ripple in the
// quotes of JSON, TOML or a shell.
//
//go:embed clients
var clients embed.FS

// clientNames are those whose configuration is known.
func clientNames() []string {
	entries, err := clients.ReadDir("clients")
	if err != nil {
		panic(err) // it is a part of the binary
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".txt")
	}
	return names
}

func newConfig(a *ui.App) *cobra.Command {
	names := clientNames()
	return &cobra.Command{
		Use:       "config CLIENT",
		Short:     "Print what tells an AI client of this server",
		Long:      "Print what tells an AI client of this server: the lines for its configuration on standard\noutput, and the file that they belong to on standard error. The clients are\n" + strings.Join(names, ", ") + ".",
		ValidArgs: names,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return ui.UsageError("ripple mcp config CLIENT: "+strings.Join(names, ", "), "which client?")
			}
			if !slices.Contains(names, args[0]) {
				return ui.UsageError(ui.DidYouMean(ui.NearNames(args[0], names), "these are known: "+strings.Join(names, ", ")), "no client is called %q", args[0])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return ui.FailWith(ui.ExitFailed, err, "")
			}
			text, err := clients.ReadFile("clients/" + args[0] + ".txt")
			if err != nil {
				return ui.FailWith(ui.ExitFailed, err, "")
			}
			where, lines, _ := strings.Cut(string(text), "\n")
			quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(self) + `"`
			if where == "run:" {
				quoted = ui.ShellQuote(self)
				a.Note("run:")
			} else {
				a.Note("for %s:", where)
			}
			a.Printf("%s", strings.ReplaceAll(lines, "%s", quoted))
			return nil
		},
	}
}
