package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/schema"
)

var schemaTexts = map[string]func() []byte{"adapter": schema.JSON, "project": schema.ProjectJSON, "scenario": schema.ScenarioJSON}

func newSchema(a *ui.App) *cobra.Command {
	var install bool
	cmd := &cobra.Command{
		Use:   "schema [adapter | project | scenario]",
		Short: "Print the JSON Schema of adapter files and others",
		Long: "Print the JSON Schema of adapter files, of ripple.yml (project) or of the scenarios of\n" +
			"the scripted agent, for editors that check and complete YAML. SCHEMA.md describes\n" +
			"every key in words.\n\n" +
			"--install writes it where editors look for it, and says where: that of adapters into\n" +
			"your own directory of them, and into the project's if it has one; the others into\n" +
			".ripple of the current directory. Editors with yaml-language-server look where the\n" +
			"first line of a YAML file sends them.",
		Example: "  ripple schema > adapter.schema.json\n  ripple schema --install\n  ripple schema project --install",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "adapter"
			if len(args) > 0 {
				name = args[0]
			}
			text, known := schemaTexts[name]
			if !known {
				return ui.UsageError(ui.DidYouMean(schema.Nearest(name, ui.SortedKeys(schemaTexts)), "they are "+strings.Join(ui.SortedKeys(schemaTexts), ", ")), "there is no schema %q", name)
			}
			if install {
				return installSchema(a, name, text())
			}
			a.Printf("%s\n", bytes.TrimRight(text(), "\n"))
			return nil
		},
		ValidArgs: ui.SortedKeys(schemaTexts),
	}
	cmd.Flags().BoolVar(&install, "install", false, "write it where editors look for it")
	return cmd
}

// installSchema writes a JSON Schema, and says where it is and what leads editors to it.
func installSchema(a *ui.App, name string, text []byte) error {
	dirs, line := []string{".ripple"}, "# yaml-language-server: $schema=.ripple/"+name+".schema.json"
	if name == "adapter" {
		sources := a.AdapterSources()
		dirs, line = nil, strings.TrimSpace(schema.EditorLine)
		if sources.UserDir != "" {
			dirs = append(dirs, sources.UserDir)
		}
		if info, err := os.Stat(sources.ProjectDir); err == nil && info.IsDir() {
			dirs = append(dirs, sources.ProjectDir)
		}
	}
	if len(dirs) == 0 {
		return ui.UsageError("set HOME, or write it yourself: ripple schema > "+schema.FileName, "there is no directory of adapters of yours")
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name+".schema.json")
		if err := putSchema(path, name, text); err != nil {
			return err
		}
		a.Printf("%s\n", path)
	}
	a.Note("a YAML file is checked and completed when its first line is\n  %s", line)
	return nil
}

// putSchema writes one file. One that is there and is no JSON Schema of this name is
// somebody else's.
func putSchema(path, name string, text []byte) error {
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && !bytes.Contains(old, []byte(`"$id": "`+name+`.schema.json"`)):
		return ui.UsageError("move it away", "%s is no JSON Schema of ripple, and is left alone", path)
	case err == nil:
		err = ui.ReplaceFile(path, text)
	case errors.Is(err, fs.ErrNotExist):
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = ui.CreateFile(path, text)
		}
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}
