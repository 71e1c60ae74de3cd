package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/schema"
)

func newSchema(a *ui.App) *cobra.Command {
	texts := map[string]func() []byte{"adapter": schema.JSON, "project": schema.ProjectJSON, "scenario": schema.ScenarioJSON}
	return &cobra.Command{
		Use:   "schema [adapter | project | scenario]",
		Short: "Print the JSON Schema of adapter files and others",
		Long: "Print the JSON Schema of adapter files, of ripple.yml (project) or of the scenarios of\n" +
			"the scripted agent, for editors that check and complete YAML. SCHEMA.md describes\n" +
			"every key in words.",
		Example: "  ripple schema > adapter.schema.json\n  ripple schema project > project.schema.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "adapter"
			if len(args) > 0 {
				name = args[0]
			}
			text, known := texts[name]
			if !known {
				return ui.UsageError(ui.DidYouMean(schema.Nearest(name, ui.SortedKeys(texts)), "they are "+strings.Join(ui.SortedKeys(texts), ", ")), "there is no schema %q", name)
			}
			a.Printf("%s\n", bytes.TrimRight(text(), "\n"))
			return nil
		},
		ValidArgs: ui.SortedKeys(texts),
	}
}
