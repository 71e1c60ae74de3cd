package adaptercmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/loopcmd"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/probe"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// withFlags select the agent that improves an adapter, and its goal.
type withFlags struct {
	agent, model string
	level        int
}

// limitsOf are the limits of its loop, with the flags of `ripple run`.
var limitsOf = []struct{ flag, preset, help string }{
	{"max-turns", "10", "maximum number of turns of the agent"},
	{"max-cost", "0", "maximum cost reported by the agent in US dollars, 0 for no limit"},
	{"max-runtime", "0", "maximum time of the agent, in minutes or like 2h; 0 for no limit"},
}

func (w *withFlags) addTo(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&w.agent, "with", "", "let this coding `AGENT` improve the adapter until the tests pass")
	flags.IntVar(&w.level, "level", contract.MaxLevel, "level that --with has to reach, 1 to 4")
	flags.StringVar(&w.model, "model", "", "`MODEL` of the agent")
	for _, l := range limitsOf {
		flags.String(l.flag, l.preset, l.help)
	}
	ui.CompleteFlag(cmd, "with", ui.CompleteAgent(a.App))
}

// choose checks the flags' values.
func (w *withFlags) choose(cmd *cobra.Command) error {
	flags := cmd.Flags()
	names := []string{"level", "model"}
	for _, l := range limitsOf {
		names = append(names, l.flag)
	}
	for _, name := range names {
		if flags.Changed(name) && !flags.Changed("with") {
			return ui.UsageError("", "--%s needs --with", name)
		}
	}
	for _, name := range []string{"with", "model"} {
		if flags.Changed(name) && strings.TrimSpace(flags.Lookup(name).Value.String()) == "" {
			return ui.UsageError("omit the flag, or give it a value", "--%s is empty", name)
		}
	}
	if w.level < 1 || w.level > contract.MaxLevel {
		return ui.UsageError("", "--level must be 1 to %d, not %d", contract.MaxLevel, w.level)
	}
	return nil
}

// helper is an agent that improves an adapter in a directory of its own.
type helper struct {
	*app
	probed
	dir      string
	keep     bool // keep dir, which may be useful
	task     *loopcmd.Task
	limits   map[string]string
	evidence []byte // of experiments without a result: not written to a file yet
}

// newHelper first checks whether the agent is available.
func (p probed) newHelper(ctx context.Context, cmd *cobra.Command, a *app) (*helper, error) {
	h := &helper{app: a, probed: p, limits: map[string]string{}}
	if p.file == "-" {
		return nil, ui.UsageError("name a file with -o", "--with cannot be used with -o -, standard output")
	}
	for _, l := range limitsOf {
		h.limits[l.flag] = cmd.Flags().Lookup(l.flag).Value.String()
	}
	var err error
	if h.dir, err = os.MkdirTemp("", "ripple-adapter-"+p.name+"-"); err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	if h.task, err = loopcmd.NewTask(ctx, a.App, h.dir, p.with.agent, p.with.model, h.limits); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *helper) close() {
	if !h.keep {
		_ = os.RemoveAll(h.dir) // the system removes the rest
	}
}

// improve has the agent improve the adapter stands; if it is nil, the agent begins with begin because
// nothing was learned, for the given reason.
func (h *helper) improve(ctx context.Context, stands *testedAdapter, begin []byte, reason string) error {
	if stands != nil && stands.complete(h.with.level) {
		return h.alreadyReached(stands)
	}
	k := &keeper{helper: h, best: stands, reason: reason, draft: filepath.Join(h.dir, h.base())}
	ad, why := k.parse(begin)
	if ad == nil {
		return ui.FailWith(ui.ExitFailed, errors.New(why), "")
	}
	var err error
	if k.program, err = launch.Locate(ad, launch.OSHost(), ""); err != nil {
		return ui.FailWith(ui.ExitMissing, err, "")
	}
	if err := k.prepare(begin, ad); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if stands != nil {
		h.Note("%s", lastLine(reportText(stands.report)))
	}
	h.Note("%s improves the adapter in %s", h.task.Agent(), h.dir)
	h.keep = true
	stop := h.task.Run(ctx, h.check(), k.around)
	code := loopcmd.ExitCode(&stop)
	done := k.reachedGoal(&stop)
	if stop.Done() && !done { // the claim is rejected for a reason that the check alone does not detect
		code, stop.Message = loopcmd.ExitUnverified, "The agent's final version is not kept: "+k.verdict
	}
	h.keep = !done
	if err := h.report(k.best); err != nil {
		return err
	}
	if done {
		h.Note("%s has reached level %d", h.file, k.best.report.Level)
		return nil
	}
	why = stop.Message
	switch stop.Reason {
	case loop.ReasonMaxTurns:
		why, _, _ = strings.Cut(why, ";") // the plan belongs to ripple
	case loop.ReasonInterrupted:
		why, _, _ = strings.Cut(why, ", which") // another loop continues, and does not repeat that turn
	}
	return ui.FailWith(code, errors.New(why), h.next(k, &stop))
}

// reachedGoal reports whether the adapter reached the goal, even if a limit ended the turns in which the
// agent could have added more.
func (k *keeper) reachedGoal(stop *loop.Stop) bool {
	bounds := []string{loop.ReasonMaxTurns, loop.ReasonMaxRuntime, loop.ReasonMaxCost, loop.ReasonMaxTokens, loop.ReasonCircuitOpen, loop.ReasonBlocked}
	return k.best != nil && k.best.reaches(k.with.level) && (stop.Done() || k.worked && slices.Contains(bounds, stop.Reason))
}

// next returns the result and the possible next steps.
func (h *helper) next(k *keeper, stop *loop.Stop) string {
	var lines []string
	switch {
	case k.best == nil:
		lines = append(lines, h.file+" was not written: the program did not start and end with any version of it")
	case k.best.reaches(h.with.level):
		lines = append(lines, fmt.Sprintf("%s has reached level %d, and more could be added", h.file, k.best.report.Level))
	default:
		lines = append(lines, fmt.Sprintf("%s contains the best version so far: level %d, the goal is level %d", h.file, k.best.report.Level, h.with.level))
	}
	if h.keep {
		lines = append(lines, "the agent's last version, the evidence and the record of its turns are in "+h.dir)
	}
	if stop.Fix != "" {
		lines = append(lines, stop.Fix)
	}
	if k.best != nil {
		lines = append(lines, "to continue: "+h.nextCommand())
	} else {
		lines = append(lines, "to continue in any case: cp "+quote.Shell(k.draft)+" "+quote.Shell(h.file)+" && "+h.nextCommand())
	}
	return strings.Join(lines, "\n")
}

// nextCommand returns the command line that continues from the result.
func (h *helper) nextCommand() string {
	words := []string{"ripple adapter new", h.name, "--with", quote.Shell(h.with.agent)}
	if h.byName {
		words[0] = "ripple trust && " + words[0] // the file may have been written since it was approved
	} else {
		words = append(words, "-o", quote.Shell(h.file))
	}
	if h.with.level != contract.MaxLevel {
		words = append(words, fmt.Sprintf("--level %d", h.with.level))
	}
	return strings.Join(words, " ")
}

// improve has an agent improve an existing adapter.
func (p probed) improve(ctx context.Context, cmd *cobra.Command, a *app) error {
	if !isFile(p.file) {
		return ui.UsageError("to learn it first: --probe 'COMMAND'; to name another file: -o FILE", "%s does not exist", p.file)
	}
	entry, err := p.existing(a)
	switch {
	case err != nil:
		return err
	case entry.Adapter.Family == schema.FamilyAgent:
		return ui.UsageError("", "--with improves only adapters of programs with a prompt; %s is the adapter of a coding agent", p.file)
	case entry.Adapter.Name != p.name:
		return ui.UsageError("to write another file: -o FILE", "%s is the adapter of %s, not of %s", p.file, entry.Adapter.Name, p.name)
	}
	p.command = strings.Join(append([]string{entry.Adapter.Process.Executable}, entry.Adapter.Process.Args...), " ")
	h, err := p.newHelper(ctx, cmd, a)
	if err != nil {
		return err
	}
	defer h.close()
	stands, err := h.tested(ctx, entry.Text, entry.Adapter)
	if err != nil {
		return err
	}
	return h.improve(ctx, stands, entry.Text, "")
}

// existing returns the adapter to improve.
func (p probed) existing(a *app) (*registry.Entry, error) {
	if p.byName {
		return a.ProjectAdapter(p.name, p.file)
	}
	return a.Adapter(p.file)
}

// improveLearned has the agent improve the learned adapter.
func (h *helper) improveLearned(ctx context.Context, result probe.Result) error {
	ad, diagnostics := schema.Parse(h.file, result.Adapter, schema.Options{})
	if ad == nil {
		return ui.AdapterError(&registry.BrokenError{Name: h.name, Path: h.file, Diagnostics: diagnostics})
	}
	return h.improve(ctx, &testedAdapter{text: result.Adapter, adapter: ad, report: result.Report}, result.Adapter, "")
}

// improveTemplate has the agent begin with a template, because nothing was learned.
func (h *helper) improveTemplate(ctx context.Context, words []string, reason error) error {
	text, err := programDraft{Name: h.name, Command: words[0], Args: words[1:], Family: string(schema.FamilyREPL), Prompt: "> ", File: h.file}.render()
	if err != nil {
		return err
	}
	h.Note("nothing was learned: %v", reason)
	return h.improve(ctx, nil, text, reason.Error())
}

// tested tests the adapter before an agent improves it.
func (h *helper) tested(ctx context.Context, text []byte, ad *schema.Adapter) (*testedAdapter, error) {
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	progress := h.NewProgress()
	report := contract.Run(ctx, ad, contract.Options{RequireProgram: true, Progress: func(t contract.Progress) { progress.Update(h.name, t) }})
	progress.Stop()
	if ctx.Err() != nil {
		return nil, ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; nothing was changed"), "")
	}
	if report.Missing != nil {
		return nil, ui.FailWith(ui.ExitMissing, report.Missing, "")
	}
	return &testedAdapter{text: text, adapter: ad, report: report}, nil
}

// alreadyReached ends the command if the level has already been reached.
func (h *helper) alreadyReached(s *testedAdapter) error {
	if err := h.report(s); err != nil {
		return err
	}
	h.Note("all tests pass and level %d is reached: %s was not started", s.report.Level, h.task.Agent())
	return nil
}

// report prints the test results of the adapter, and the files.
func (h *helper) report(s *testedAdapter) error {
	if s != nil {
		if err := contract.WriteText(h.Out, []*contract.Report{s.report}, contract.TextOptions{}); err != nil && h.OutError() == nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		h.Printf("%s\n", h.file)
	}
	if isFile(h.evidenceFile()) {
		h.Printf("%s\n", h.evidenceFile())
	}
	return nil
}
