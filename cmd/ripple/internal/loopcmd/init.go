package loopcmd

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop/layout"
)

// What a new project begins with.
var (
	//go:embed init/PROMPT.md
	initPrompt string
	//go:embed init/plan.md
	initPlan string
	//go:embed init/AGENT.md
	initAgent string
)

// NewInit is ripple init.
func NewInit(shared *ui.App) *cobra.Command {
	a := &starter{shared}
	var from, preset string
	cmd := &cobra.Command{
		Use:   "init [--from FILE] [--preset NAME]",
		Short: "Write .ralph/ to begin a loop with",
		Long: `Write .ralph/ in the current directory: the task (PROMPT.md), the plan (@fix_plan.md),
notes on how to build and test (@AGENT.md), the settings, all commented out
(.ralphrc), and a .gitignore that keeps all of it out of git. What is there stays as
it is; settings that nobody changed are renewed. How the project is built and tested is
taken from its files where they tell.

--from FILE takes the task and the plan from a document: Markdown (its boxes become
the plan, else the items under headings like Tasks or Requirements, else its
sections), or JSON of issues. "-" is standard input.

--preset NAME writes a ripple.yml with roles, too, which ripple hats draws:

` + presetList(),
		Example: `  ripple init --from prd.md
  gh issue list --json number,title,body,state | ripple init --from -
  ripple init --preset build-review`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" && cmd.Flags().Changed("from") {
				return ui.UsageError("leave the flag out, or say what", "--from is empty")
			}
			return a.initLoop(from, preset, cmd.Flags().Changed("preset"))
		},
	}
	cmd.Flags().StringVar(&preset, "preset", "", "write roles, too: the `NAME` of one of the presets above")
	cmd.Flags().StringVar(&from, "from", "", "a `FILE` that says what is wanted: Markdown, or JSON of issues")
	ui.CompleteFlag(cmd, "preset", func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		for _, p := range presets() {
			names = append(names, cobra.CompletionWithDesc(p.name, p.about))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// starter is ripple init: it writes what a loop needs.
type starter struct{ *ui.App }

func (a *starter) initLoop(from, presetName string, withRoles bool) error {
	dir, err := os.Getwd()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("the working directory cannot be used: %w", err), "go to a directory that is there")
	}
	if err := layout.Check("."); err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
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

// makeRoom takes the examples away that --from replaces, and refuses to replace
// what somebody wrote.
func (a *starter) makeRoom() error {
	examples := map[string]string{layout.PromptFile: initPrompt, layout.PlanFile: initPlan}
	for name, text := range examples {
		path := filepath.Join(layout.Dir, name)
		if _, err := os.Lstat(path); err == nil && smallFile(path) != text {
			return ui.UsageError("move it away, or add to it by hand; nothing was written", "%s is there, and --from would replace it", path)
		}
	}
	for name := range examples {
		if err := os.Remove(filepath.Join(layout.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
	}
	return nil
}

func (a *starter) writeInit(files map[string]string, found project) error {
	if err := os.MkdirAll(filepath.Join(layout.Dir, layout.LogsDir), 0o755); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "ripple init writes into the current directory: go to one that is yours")
	}
	for _, f := range []struct{ name, text string }{
		{layout.PromptFile, files[layout.PromptFile]},
		{layout.PlanFile, files[layout.PlanFile]},
		{layout.AgentFile, cmp.Or(found.notes(), initAgent)},
		{layout.RCFile, initSettings(found)},
		{layout.IgnoreFile, layout.Ignore},
	} {
		path := filepath.Join(layout.Dir, f.name)
		what, err := placeFile(path, f.text, f.name == layout.RCFile)
		if err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		a.Printf("%-24s %s\n", path, what)
	}
	return nil
}

// adviseInit says what to do next.
func (a *starter) adviseInit(w wanted, found project, withRoles bool) {
	prompt, verify := filepath.Join(layout.Dir, layout.PromptFile), ""
	if found.test != "" {
		verify = " --verify " + ui.ShellQuote(found.test)
		a.Note("%s", cmp.Or(found.kind, "this")+" project: built and tested by what its files say, see "+filepath.Join(layout.Dir, layout.AgentFile))
	}
	if withRoles {
		a.Note("look at the roles in ripple.yml, and at what they hand on: ripple hats")
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
		a.Note("what issues say becomes the agent's task: read them first when others may write them")
	}
}

// warnOfTemplates says that the agent would get the example of `ripple init` for
// its task.
func (a *app) warnOfTemplates(project string, f loopFlags) {
	same := func(name, text string) bool {
		path := filepath.Join(project, layout.Dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
			return false // a pipe would have to be waited for
		}
		data, err := os.ReadFile(path)
		return err == nil && string(data) == text
	}
	if f.prompt == "" && f.promptFile == "" && same(layout.PromptFile, initPrompt) && same(layout.PlanFile, initPlan) {
		a.Note("%s and %s are still the example of ripple init: the agent gets its task from there", filepath.Join(layout.Dir, layout.PromptFile), layout.PlanFile)
	}
}
