package loopcmd

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/schema"
)

//go:embed init/presets/*.yml
var presetFiles embed.FS

// preset is a ripple.yml to start with: roles, topics, limits.
type preset struct{ name, about, text string }

// presets returns all presets, in the order of their names.
func presets() (list []preset) {
	entries, _ := presetFiles.ReadDir("init/presets") // it is embedded
	for _, e := range entries {
		data, _ := presetFiles.ReadFile(path.Join("init/presets", e.Name())) // it is embedded
		first, _, _ := strings.Cut(string(data), "\n")
		list = append(list, preset{strings.TrimSuffix(e.Name(), ".yml"), strings.TrimPrefix(first, "# "), string(data)})
	}
	return list
}

func findPreset(name string) (preset, error) {
	var names []string
	for _, p := range presets() {
		if p.name == name {
			return p, nil
		}
		names = append(names, p.name)
	}
	meant := ""
	if near := schema.Nearest(name, names); len(near) > 0 {
		meant = "; did you mean " + near[0] + "?"
	}
	return preset{}, ui.UsageError("there are "+strings.Join(names, ", "), "no preset is named %q%s", name, meant)
}

// presetList describes the presets for the help.
func presetList() string {
	var b strings.Builder
	for _, p := range presets() {
		fmt.Fprintf(&b, "  %-18s %s\n", p.name, p.about)
	}
	return b.String()
}

// Additional files of a project with roles.
const (
	presetPrompt = `# Task

<!-- Describe the task, where to do it, and how the result will be judged. Every hat gets
     this file in each turn, followed by its own instructions. You can edit it while the
     loop runs. -->

Read .ralph/@AGENT.md for how to build and test.
`
	presetPlan = `# Plan

<!-- One checkbox per task. The loop does not end while one is unchecked. -->
`
)

// checkRoom refuses to replace a ripple.yml.
func (p preset) checkRoom() error {
	if _, err := os.Lstat(config.ProjectFile); err == nil && smallFile(config.ProjectFile) != asNamed(p.text) {
		return ui.UsageError("move it away, or add hats to it by hand (ripple schema project); nothing was written", "%s exists, and --preset would replace it", config.ProjectFile)
	}
	return nil
}

func (a *starter) writePreset(p preset) error {
	text := []byte(asNamed(p.text))
	err := projectfile.In(".", ".").CreateNew(config.ProjectFile, text)
	what := "written"
	if errors.Is(err, fs.ErrExist) {
		what, err = "exists, unchanged", nil
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Printf("%-24s %s\n", config.ProjectFile, what)
	if project, err := ui.Project(); err == nil && what == "written" {
		a.Trust.OwnSettings(project, config.ProjectFile, text)
	}
	return nil
}
