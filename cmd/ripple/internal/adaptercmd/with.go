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

	"ripple/cmd/ripple/internal/loopcmd"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
	"ripple/runtime/launch"
	"ripple/runtime/loop"
	"ripple/runtime/probe"
	"ripple/runtime/registry"
	"ripple/schema"
)

// withFlags say which agent makes an adapter better, and how far.
type withFlags struct {
	agent, model string
	level        int
}

// limitsOf are the limits of its loop, by the flags of `ripple run`.
var limitsOf = []struct{ flag, preset, help string }{
	{"max-turns", "10", "turns that the agent may take"},
	{"max-cost", "0", "US dollars that the agent may tell for it, 0 for no limit"},
	{"max-runtime", "0", "time that the agent may take: 1h, or a number of minutes; 0 for no limit"},
}

func (w *withFlags) addTo(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&w.agent, "with", "", "have this coding `AGENT` go on with what was learnt, until the tests pass")
	flags.IntVar(&w.level, "level", contract.MaxLevel, "the level that --with has to reach, 1 to 4")
	flags.StringVar(&w.model, "model", "", "`MODEL` that the agent is to use")
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
			return ui.UsageError("", "--%s is for --with", name)
		}
	}
	for _, name := range []string{"with", "model"} {
		if flags.Changed(name) && strings.TrimSpace(flags.Lookup(name).Value.String()) == "" {
			return ui.UsageError("leave the flag out, or say what", "--%s is empty", name)
		}
	}
	if w.level < 1 || w.level > contract.MaxLevel {
		return ui.UsageError("", "--level is 1 to %d, and is %d", contract.MaxLevel, w.level)
	}
	return nil
}

// helper is an agent that goes on with an adapter, in a directory of its own.
type helper struct {
	*app
	probed
	dir      string
	keep     bool // what is in dir may be wanted
	task     *loopcmd.Task
	limits   map[string]string
	evidence []byte // of experiments that taught nothing: it stands beside no file yet
}

// newHelper finds out before anything else whether the agent can be had.
func (p probed) newHelper(ctx context.Context, cmd *cobra.Command, a *app) (*helper, error) {
	h := &helper{app: a, probed: p, limits: map[string]string{}}
	if p.file == "-" {
		return nil, ui.UsageError("name a file with -o", "--with works on a file, and -o - is standard output")
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
		_ = os.RemoveAll(h.dir) // what is left of it is the system's to remove
	}
}

// from has the agent go on from what stands: nothing, where nothing was learnt for a reason.
func (h *helper) from(ctx context.Context, stands *standing, begin []byte, reason string) error {
	if stands != nil && stands.complete(h.with.level) {
		return h.unneeded(stands)
	}
	k := &keeper{helper: h, stands: stands, reason: reason, draft: filepath.Join(h.dir, h.base())}
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
	h.Note("%s goes on with it in %s", h.task.Agent(), h.dir)
	h.keep = true
	stop := h.task.Run(ctx, h.check(), k.around)
	code := loopcmd.ExitCode(&stop)
	done := k.enough(&stop)
	if stop.Done() && !done { // by the agent's word, with what the check by itself does not see
		code, stop.Why = loopcmd.ExitUnverified, "What the agent calls done is not kept: "+k.verdict
	}
	h.keep = !done
	if err := h.report(k.stands); err != nil {
		return err
	}
	if done {
		h.Note("%s has reached level %d", h.file, k.stands.report.Level)
		return nil
	}
	why = stop.Why
	switch stop.Reason {
	case loop.ReasonMaxTurns:
		why, _, _ = strings.Cut(why, ";") // the plan is ours
	case loop.ReasonInterrupted:
		why, _, _ = strings.Cut(why, ", which") // another loop goes on, and does not take that turn again
	}
	return ui.FailWith(code, errors.New(why), h.next(k, &stop))
}

// enough says that what stands is what was wanted, even if it was a limit that ended the turns
// which the agent had to add more.
func (k *keeper) enough(stop *loop.Stop) bool {
	bounds := []string{loop.ReasonMaxTurns, loop.ReasonMaxRuntime, loop.ReasonMaxCost, loop.ReasonMaxTokens, loop.ReasonCircuitOpen, loop.ReasonBlocked}
	return k.stands != nil && k.stands.reaches(k.with.level) && (stop.Done() || k.worked && slices.Contains(bounds, stop.Reason))
}

// next says what there is now, and what can be done with it.
func (h *helper) next(k *keeper, stop *loop.Stop) string {
	var lines []string
	switch {
	case k.stands == nil:
		lines = append(lines, h.file+" was not written: no version of it had the program start and end")
	case k.stands.reaches(h.with.level):
		lines = append(lines, fmt.Sprintf("%s has reached level %d, and more could be added", h.file, k.stands.report.Level))
	default:
		lines = append(lines, fmt.Sprintf("%s is the best so far: level %d, and level %d was wanted", h.file, k.stands.report.Level, h.with.level))
	}
	if h.keep {
		lines = append(lines, "the agent's last version, the evidence and the record of its turns are in "+h.dir)
	}
	if stop.Do != "" {
		lines = append(lines, stop.Do)
	}
	if k.stands != nil {
		lines = append(lines, "go on with it: "+h.again())
	} else {
		lines = append(lines, "go on all the same: cp "+ui.ShellQuote(k.draft)+" "+ui.ShellQuote(h.file)+" && "+h.again())
	}
	return strings.Join(lines, "\n")
}

// again is the command line that goes on with what stands.
func (h *helper) again() string {
	words := []string{"ripple adapter new", h.name, "--with", ui.ShellQuote(h.with.agent)}
	if h.file != defaultFile(h.name) {
		words = append(words, "-o", ui.ShellQuote(h.file))
	}
	if h.with.level != contract.MaxLevel {
		words = append(words, fmt.Sprintf("--level %d", h.with.level))
	}
	return strings.Join(words, " ")
}

// goOn has an agent go on with an adapter that is there.
func (p probed) goOn(ctx context.Context, cmd *cobra.Command, a *app) error {
	entry, err := a.Adapter(p.file)
	switch {
	case !isFile(p.file):
		return ui.UsageError("--probe 'COMMAND' learns it first; -o names another file", "there is no %s to go on with", p.file)
	case err != nil:
		return err
	case entry.Adapter.Family == schema.FamilyAgent:
		return ui.UsageError("", "%s is the adapter of a coding agent, which has no level", p.file)
	case entry.Adapter.Name != p.name:
		return ui.UsageError("-o names another file", "%s is the adapter of %s, and not of %s", p.file, entry.Adapter.Name, p.name)
	}
	text, err := os.ReadFile(p.file)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	p.command = strings.Join(append([]string{entry.Adapter.Process.Executable}, entry.Adapter.Process.Args...), " ")
	h, err := p.newHelper(ctx, cmd, a)
	if err != nil {
		return err
	}
	defer h.close()
	stands, err := h.tested(ctx, text, entry.Adapter)
	if err != nil {
		return err
	}
	return h.from(ctx, stands, text, "")
}

// fromLearnt has the agent go on with what was learnt.
func (h *helper) fromLearnt(ctx context.Context, result probe.Result) error {
	ad, diagnostics := schema.Parse(h.file, result.Adapter, schema.Options{})
	if ad == nil {
		return ui.AdapterError(&registry.BrokenError{Name: h.name, Path: h.file, Diagnostics: diagnostics})
	}
	return h.from(ctx, &standing{text: result.Adapter, adapter: ad, report: result.Report}, result.Adapter, "")
}

// fromTemplate has the agent begin with a template, since nothing was learnt.
func (h *helper) fromTemplate(ctx context.Context, words []string, reason error) error {
	text, err := programDraft{Name: h.name, Command: words[0], Args: words[1:], Family: string(schema.FamilyREPL), Prompt: "> ", File: h.file}.render()
	if err != nil {
		return err
	}
	h.Note("nothing was learnt: %v", reason)
	return h.from(ctx, nil, text, reason.Error())
}

// tested tests what stands before an agent goes on with it.
func (h *helper) tested(ctx context.Context, text []byte, ad *schema.Adapter) (*standing, error) {
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	progress := h.NewProgress()
	report := contract.Run(ctx, ad, contract.Options{Require: true, Progress: func(t contract.Progress) { progress.Update(h.name, t) }})
	progress.Stop()
	if ctx.Err() != nil {
		return nil, ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; nothing was changed"), "")
	}
	if report.Missing != nil {
		return nil, ui.FailWith(ui.ExitMissing, report.Missing, "")
	}
	return &standing{text: text, adapter: ad, report: report}, nil
}

// unneeded is the end where the level is reached already.
func (h *helper) unneeded(s *standing) error {
	if err := h.report(s); err != nil {
		return err
	}
	h.Note("all tests pass and level %d is reached: %s was not asked", s.report.Level, h.task.Agent())
	return nil
}

// report shows the tests of what stands, and the files.
func (h *helper) report(s *standing) error {
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
