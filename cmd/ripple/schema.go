package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/schema"
)

var schemaTexts = map[string]func() []byte{"adapter": schema.AdapterJSON, "project": schema.ProjectJSON, "scenario": schema.ScenarioJSON}

func newSchema(a *ui.App) *cobra.Command {
	var install bool
	cmd := &cobra.Command{
		Use:   "schema [adapter | project | scenario]",
		Short: "Print the JSON Schema of adapter and other files",
		Long: "Print the JSON Schema of adapter files, of ripple.yml (project), or of the scripted agent's\n" +
			"scenarios, for editors that validate and complete YAML. SCHEMA.md describes every key.\n\n" +
			"--install writes it where editors look for it and prints the path: the schema of adapters\n" +
			"into your own adapter directory and the project's, if that exists; the others into .ripple\n" +
			"in the current directory. Editors with yaml-language-server read the path from the first\n" +
			"line of a YAML file; --install prints that line.",
		Example: "  ripple schema > adapter.schema.json\n  ripple schema --install\n  ripple schema project --install",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "adapter"
			if len(args) > 0 {
				name = args[0]
			}
			text, known := schemaTexts[name]
			if !known {
				return ui.UsageError(ui.DidYouMean(schema.Nearest(name, ui.SortedKeys(schemaTexts)), "to print one: ripple schema NAME; the names are "+strings.Join(ui.SortedKeys(schemaTexts), ", ")), "there is no schema %q", name)
			}
			if install {
				if err := a.Trust.CheckHome(""); err != nil {
					return err
				}
				return installSchema(a, name, text())
			}
			a.Printf("%s\n", bytes.TrimRight(text(), "\n"))
			return nil
		},
		ValidArgs: ui.SortedKeys(schemaTexts),
	}
	ui.WithoutHome(cmd)
	cmd.Flags().BoolVar(&install, "install", false, "install the schema for editors")
	return cmd
}

// installSchema writes a JSON Schema, and prints its path and how editors find it.
func installSchema(a *ui.App, name string, text []byte) error {
	dirs, line := []string{".ripple"}, "# yaml-language-server: $schema=.ripple/"+name+".schema.json"
	if name == "adapter" {
		sources := a.AdapterSources()
		dirs, line = nil, strings.TrimSpace(schema.EditorLine)
		if sources.UserDir != "" && owner.Ours(sources.UserDir) {
			dirs = append(dirs, sources.UserDir)
		}
		if info, err := os.Stat(sources.ProjectDir); err == nil && info.IsDir() {
			dirs = append(dirs, filepath.Join(".ripple", "adapters"))
		}
	}
	if len(dirs) == 0 {
		return ui.UsageError("set HOME, or write it yourself: ripple schema > "+schema.FileName, "the directory of your adapters is unknown")
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name+".schema.json")
		if err := putSchema(path, name, text); err != nil {
			return err
		}
		a.Printf("%s\n", path)
	}
	a.Note("editors check and complete a YAML file whose first line is\n  %s", line)
	return nil
}

// putSchema writes one file. It does not replace a file that is not this JSON Schema of ripple.
func putSchema(path, name string, text []byte) error {
	old, err := projectfile.Read(path, projectfile.MaxText)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && !bytes.Contains(old, []byte(`"$id": "`+name+`.schema.json"`)):
		return ui.UsageError("move it away", "%s already exists and is not a JSON Schema of ripple", path)
	case err == nil:
		err = ui.ReplaceFile(path, text)
	case errors.Is(err, fs.ErrNotExist):
		err = ui.CreateFile(path, text, 0o666)
	}
	if _, outside := errors.AsType[*ui.OutsideError](err); outside {
		return ui.UsageError("remove the link, or write it yourself: ripple schema "+name+" > FILE", "%w", err)
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}
