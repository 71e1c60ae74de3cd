package loopcmd

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/hats"
)

// newHats returns the hats command.
func newHats(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var format string
	formats := []string{hats.FormatText, hats.FormatMermaid, hats.FormatDOT}
	cmd := &cobra.Command{
		Use:   "hats [--format text|mermaid|dot]",
		Short: "Check and draw the roles of a loop",
		Long: `Check the roles ("hats") of a loop in ripple.yml, and draw the topics that connect them.
It only reads files and starts nothing.

Mistakes that keep a role from working are errors, reported with file and line; this command
and "ripple run" then exit with code 2: a start that leads nowhere, an agent without an
adapter, names that clash, two names of one setting with different values. Warnings are printed for
rules that may be intended: a topic that no hat takes, a hat that nothing reaches, a
cycle without a limit.`,
		Example: "  ripple hats\n  ripple hats --format dot | dot -Tsvg > hats.svg",
		Args:    ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(formats, format) {
				return ui.UsageError("write one of them", "invalid --format %q: use one of %s", format, strings.Join(formats, ", "))
			}
			return a.showHats(cmd.Context(), format)
		},
	}
	cmd.Flags().StringVar(&format, "format", hats.FormatText, "`FORMAT` of the drawing: text, mermaid or dot")
	ui.Choices(cmd, "format", formats...)
	return cmd
}

func (a *app) showHats(ctx context.Context, format string) error {
	dir, err := os.Getwd()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "change to an existing directory")
	}
	c, notes, err := config.Load(dir, nil, a.Getenv)
	for _, n := range notes {
		a.Note("%s", n)
	}
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	if len(c.Hats.Hats) == 0 {
		return ui.FailWith(ui.ExitUsage, errors.New("ripple.yml has no hats here"), "ripple init --preset build-review writes some to start with")
	}
	if err := a.knownHatAgents(ctx, c); err != nil {
		return err
	}
	a.Printf("%s", ui.Harmless(c.Hats.Graph(format)))
	return nil
}

// knownHatAgents returns an error that lists all hats whose agent has no adapter.
func (a *app) knownHatAgents(ctx context.Context, c *config.Config) error {
	var errs []error
	for _, h := range c.Hats.Hats {
		if h.Adapter == "" || h.Adapter == "auto" || h.Adapter == customName && c.Command != "" {
			continue
		}
		if _, err := a.LookAgent(h.Adapter); err != nil {
			errs = append(errs, errors.New(c.HatPlace(h.Key)+": hat "+h.Key+": "+err.Error()))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return ui.FailWith(ui.ExitUsage, err, "ripple doctor lists the known agents")
	}
	return nil
}
