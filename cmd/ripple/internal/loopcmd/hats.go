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
		Short: "Check and draw the hats of a loop",
		Long: `Check the hats of a loop in ripple.yml, and draw the topics that connect them. A hat is a
role, such as builder or reviewer, that an agent has for one turn. The command only reads
files and starts nothing.

Errors keep a hat from working. They are reported with file and line, and this command and
"ripple run" exit with code 2:

  - the first topic triggers no hat
  - an agent has no adapter
  - two hats have the same name
  - one setting is given under two names, with different values

Warnings are about rules that may be intended:

  - a topic triggers no hat
  - no topic leads to a hat
  - a cycle has no limit`,
		Example: "  ripple hats\n  ripple hats --format dot | dot -Tsvg > hats.svg",
		Args:    ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(formats, format) {
				return ui.UsageError("", "invalid --format %q: use one of %s", format, strings.Join(formats, ", "))
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
	c, notes, err := a.loader(dir, nil, true).Load()
	for _, n := range notes {
		a.Note("%s", n)
	}
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	if len(c.Hats.Hats) == 0 {
		if _, err := os.Lstat(config.ProjectFile); err == nil {
			return ui.FailWith(ui.ExitUsage, errors.New("ripple.yml defines no hats"), "to see the keys of a hat: ripple schema project")
		}
		return ui.FailWith(ui.ExitUsage, errors.New("no ripple.yml here: it defines the hats"), "to create one: ripple init --preset build-review")
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
		return ui.FailWith(ui.ExitUsage, err, "to list the known agents: ripple doctor")
	}
	return nil
}
