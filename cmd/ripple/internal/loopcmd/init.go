package loopcmd

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/quote"
)

// Files of a new project.
var (
	//go:embed init/PROMPT.md
	initPrompt string
	//go:embed init/plan.md
	initPlan string
	//go:embed init/AGENT.md
	initAgent string
)

// newInit returns the init command.
func newInit(shared *ui.App) *cobra.Command {
	a := &starter{shared}
	var from, preset string
	cmd := &cobra.Command{
		Use:   "init [--from FILE] [--preset NAME]",
		Short: "Write the files of a loop into .ralph/",
		Long: `Write .ralph/ in the current directory: the task (PROMPT.md), the plan (@fix_plan.md),
notes on how to build and test (@AGENT.md), the settings, all commented out
(.ralphrc), and a .gitignore that keeps all of it out of git. Existing files are kept;
settings that were never edited are updated. The commands that build and test the
project are taken from its files if possible.

--from FILE takes the task and the plan from a document: Markdown (its checkboxes become
the plan; without any, the items under headings like Tasks or Requirements; without
these, its sections), or JSON of issues. "-" is standard input.

--preset NAME also writes a ripple.yml with hats, which are roles for turns; to draw them: ripple hats.

The presets:

` + presetList(),
		Example: `  ripple init --from prd.md
  gh issue list --json number,title,body,state | ripple init --from -
  ripple init --preset build-review`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" && cmd.Flags().Changed("from") {
				return ui.UsageError("omit the flag, or name a file", "--from is empty")
			}
			if err := a.RefuseSudo("."); err != nil {
				return err
			}
			return a.initLoop(from, preset, cmd.Flags().Changed("preset"))
		},
	}
	cmd.Flags().StringVar(&preset, "preset", "", "also write the hats of the preset `NAME`")
	cmd.Flags().StringVar(&from, "from", "", "take the task and the plan from this `FILE`: Markdown, or JSON of issues")
	ui.CompleteFlag(cmd, "preset", func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		for _, p := range presets() {
			names = append(names, cobra.CompletionWithDesc(p.name, p.about))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// starter implements ripple init: it writes the files that a loop needs.
type starter struct{ *ui.App }

func (a *starter) initLoop(from, presetName string, withRoles bool) error {
	dir, err := projectDir()
	if err != nil {
		return err
	}
	found, err := detectProject(dir)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	var w wanted
	files := map[string]string{layout.PromptFile: initPrompt, layout.PlanFile: initPlan}
	var roles preset
	if withRoles {
		if roles, err = findPreset(presetName); err != nil {
			return err
		}
		if err := roles.checkRoom(); err != nil {
			return err
		}
		files = map[string]string{layout.PromptFile: presetPrompt, layout.PlanFile: presetPlan}
	}
	if from != "" {
		if w, err = a.readWanted(from); err != nil {
			return err
		}
		files = map[string]string{layout.PromptFile: w.prompt(), layout.PlanFile: w.plan()}
		if err := a.makeRoom(); err != nil {
			return err
		}
	}
	if err := a.writeInit(files, found); err != nil {
		return err
	}
	if withRoles {
		if err := a.writePreset(roles); err != nil {
			return err
		}
	}
	a.adviseInit(w, found, withRoles)
	return nil
}

// makeRoom removes the example files that --from replaces, and refuses to replace edited ones.
func (a *starter) makeRoom() error {
	examples := map[string]string{layout.PromptFile: initPrompt, layout.PlanFile: initPlan}
	if name := here(layout.PlanFile); name != layout.PlanFile {
		return wouldReplace(name)
	}
	for name, text := range examples {
		data, err := layout.Read(".", name)
		if !errors.Is(err, fs.ErrNotExist) && (err != nil || string(data) != text) {
			return wouldReplace(name)
		}
	}
	for name := range examples {
		if err := layout.Files(".").Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
	}
	return nil
}

func wouldReplace(name string) error {
	return ui.UsageError("move it away, or add to it by hand; nothing was written", "%s exists, and --from would replace it", filepath.Join(layout.Dir, name))
}

func (a *starter) writeInit(files map[string]string, found project) error {
	if _, err := a.Trust.Claim("."); err != nil {
		return err
	}
	if err := layout.Files(".").Mkdir(layout.LogsDir, 0o777); err != nil {
		return ui.FailWith(ui.ExitFailed, err, ui.WriteHint(err, "change to a directory of your own: ripple init writes into the current directory"))
	}
	for _, f := range []struct{ name, text string }{
		{layout.PromptFile, asNamed(files[layout.PromptFile])},
		{here(layout.PlanFile), files[layout.PlanFile]},
		{here(layout.AgentFile), cmp.Or(found.notes(), initAgent)},
		{layout.RCFile, initSettings(found)},
		{layout.IgnoreFile, layout.Ignore},
	} {
		what, err := placeFile(layout.Files("."), f.name, f.text, f.name == layout.RCFile)
		if err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		a.Printf("%-24s %s\n", filepath.Join(layout.Dir, f.name), what)
	}
	return nil
}

// here returns the name of the plan, or of the notes, in the current directory's project.
func here(name string) string { return layout.NameIn(layout.Files("."), name) }

// asNamed replaces the default names of the plan and the notes in a text with those used here.
func asNamed(text string) string {
	for _, name := range []string{layout.PlanFile, layout.AgentFile} {
		text = strings.ReplaceAll(text, layout.Dir+"/"+name, layout.Dir+"/"+here(name))
	}
	return text
}

// adviseInit prints the next steps.
func (a *starter) adviseInit(w wanted, found project, withRoles bool) {
	prompt, verify := filepath.Join(layout.Dir, layout.PromptFile), ""
	if found.test != "" {
		verify = " --verify " + quote.Shell(found.test)
		a.Note("%s", cmp.Or(found.kind, "this")+" project: the commands that build and test it were taken from its files, see "+filepath.Join(layout.Dir, here(layout.AgentFile)))
	}
	if withRoles {
		a.Note("review the hats in ripple.yml; to draw their topics: ripple hats")
	}
	if w.name == "" && withRoles {
		a.Note("write the task into %s, then: ripple run%s", prompt, verify)
		return
	}
	if w.name == "" {
		a.Note("write the task into %s, then: ripple run%s (or try it first with --adapter rehearsal)", prompt, verify)
		return
	}
	left := ""
	if w.closed > 0 {
		left = fmt.Sprintf(", %s left out", ui.Count(w.closed, "closed issue"))
	}
	a.Note("%s from %s%s: read the plan and the prompt, then: ripple run%s", ui.Count(len(w.tasks), "task"), w.name, left, verify)
	if w.issues {
		a.Note("the text of issues becomes the agent's task: read them first if others can write them")
	}
}

// warnOfTemplates warns that the agent's task would be the example of `ripple init`.
func (a *app) warnOfTemplates(project string, f loopFlags) {
	same := func(name, text string) bool {
		data, err := layout.Files(project).Read(name, int64(len(text)))
		return err == nil && string(data) == text
	}
	if f.prompt == "" && f.promptFile == "" && same(layout.PromptFile, initPrompt) && same(layout.PlanFile, initPlan) {
		a.Note("%s and %s are still the example of ripple init: the agent gets its task from there", filepath.Join(layout.Dir, layout.PromptFile), layout.PlanFile)
	}
}
