package loopcmd

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop/config"
	"ripple/runtime/loop/hats"
)

// NewHats is ripple hats.
func NewHats(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var format string
	formats := []string{hats.FormatText, hats.FormatMermaid, hats.FormatDOT}
	cmd := &cobra.Command{
		Use:   "hats [--format text|mermaid|dot]",
		Short: "Check and draw the roles of a loop",
		Long: `Check the roles ("hats") that ripple.yml gives a loop, and draw which topic leads from
which to which. It looks at files alone and starts nothing.

What can never go well is an error, with its place, and ends this and "ripple run" with
code 2: a start that leads nowhere, an agent that no adapter describes, names that clash,
two names of one setting that differ. What may be meant is only said: a topic that no
hat takes, a hat that nothing reaches, a cycle without a bound.`,
		Example: "  ripple hats\n  ripple hats --format dot | dot -Tsvg > hats.svg",
		Args:    ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(formats, format) {
				return ui.UsageError("write one of them", "--format is %q, and must be one of %s", format, strings.Join(formats, ", "))
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
		return ui.FailWith(ui.ExitFailed, err, "go to a directory that is there")
	}
	c, notes, err := config.Load(dir, nil, a.Getenv)
	for _, n := range notes {
		a.Note("%s", n)
	}
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	if len(c.Hats.Hats) == 0 {
		return ui.FailWith(ui.ExitUsage, errors.New("ripple.yml has no hats here"), "ripple init --preset build-review writes some to begin with")
	}
	if err := a.knownHatAgents(ctx, c); err != nil {
		return err
	}
	a.Printf("%s", ui.Harmless(c.Hats.Graph(format)))
	return nil
}

// knownHatAgents refuses hats whose agent no adapter describes, all of them at once.
func (a *app) knownHatAgents(ctx context.Context, c *config.Config) error {
	var errs []error
	for _, h := range c.Hats.Hats {
		if h.Adapter == "" || h.Adapter == customName && c.Command != "" {
			continue
		}
		if _, err := a.AgentAdapter(ctx, h.Adapter); err != nil {
			errs = append(errs, errors.New(c.HatPlace(h.Key)+": hat "+h.Key+": "+err.Error()))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return ui.FailWith(ui.ExitUsage, err, "ripple doctor lists the agents that there are")
	}
	return nil
}
