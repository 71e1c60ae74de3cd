package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"ripple/schema"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of adapter files",
		Long: "Print the JSON Schema of adapter files, for editors that check and complete YAML.\n" +
			"SCHEMA.md describes every key in words.",
		Example: "  ripple schema > adapter.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			a.printf("%s\n", bytes.TrimRight(schema.JSON(), "\n"))
			return nil
		},
	}
}
