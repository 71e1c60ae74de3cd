package loopcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop"
	"ripple/runtime/loop/config"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/proctree"
	"ripple/runtime/scenario"
)

// loopFlags are the flags of `ripple run` that are no settings of the loop.
type loopFlags struct {
	prompt     string
	promptFile string
	model      string
	transport  string // of its turns; "": the adapter's own choice
	resume     bool
	live       bool
	dryRun     bool
	json       bool
	project    string // where the loop runs; "": here
}

// NewRun is ripple run.
func NewRun(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var f loopFlags
	cmd := &cobra.Command{
		Use:   "run [--adapter NAME]",
		Short: "Let an agent work turn after turn until the work is done",
		Long: `Let a coding agent work on the task in .ralph/PROMPT.md, turn after turn, until the
work is done or something says that it should not go on: a limit, a budget, no
progress, a refused tool. "ripple init" writes the files to begin with.

A done claim ends the loop only when every --verify command succeeds after it. Each
stop says why, and what to do next:

  0  done: verified, or claimed where no --verify asks for more
  3  the agent, the prompt or git is missing
  5  a limit or budget was reached
  6  the circuit is open: no progress, or the same error again and again
  7  done was claimed, and the verification failed
  8  the agent needs a person: permission, login, a question nobody answered
130  interrupted

What an agent asks is a question with an ID. On a terminal, with --on-question or with
--wait-for-answer the loop waits for "ripple answer"; else it stops with code 8, and
"ripple answer" and --resume go on. --allow and --deny say what need not be asked.

Ctrl-C ends the loop after the turn, a second one ends the agent now. "ripple run
--resume" goes on where a loop ended, however it ended.

Settings come from flags, the environment, ripple.yml, .ralph/.ralphrc and .ralphrc, in
this order; --dry-run shows each with its name and source. In the environment the names
from MAX_TURNS on want RIPPLE_ before them: RIPPLE_MAX_TURNS.`,
		Example: `  ripple init && ripple run --adapter rehearsal
  ripple run --adapter claude --verify 'make test' --max-cost 5 --max-runtime 8h
  ripple run --worktree agent/work --commit --prompt-file task.md`,
		Args: aloneArg,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkRunFlags(cmd.Flags()); err != nil {
				return err
			}
			run := func() error { return a.runLoop(cmd.Context(), f, changed(cmd.Flags())) }
			if f.dryRun {
				return run()
			}
			return a.Guarded(run)
		},
	}
	f.addTo(cmd.Flags())
	ui.Transport(cmd, &f.transport)
	ui.CompleteFlag(cmd, "adapter", ui.CompleteAgent(a.App))
	ui.CompleteFlag(cmd, "fallback", ui.CompleteAgents(a.App))
	ui.Choices(cmd, "on-denial", "continue", "halt", "threshold")
	return cmd
}

func (f *loopFlags) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.prompt, "prompt", "", "the task itself, instead of .ralph/PROMPT.md (`TEXT`)")
	flags.StringVar(&f.promptFile, "prompt-file", "", "the `FILE` that holds the task")
	flags.StringVar(&f.model, "model", "", "`MODEL` that the agent is to use")
	flags.BoolVar(&f.resume, "resume", false, "go on with the loop that ended last")
	flags.BoolVar(&f.live, "live", false, "show what tools the agent uses without a terminal, too")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the command line, the prompt and the settings, and start nothing")
	flags.BoolVar(&f.json, "json", false, "print events as NDJSON")
	addSettings(flags)
}

// addSettings gives every setting of the loop that has one its flag. What they
// say is read by config.Load.
func addSettings(flags *pflag.FlagSet) {
	for _, s := range config.Settings() {
		switch {
		case s.Flag == "":
		case s.Repeats:
			flags.StringArray(s.Flag, nil, s.Help+" (repeatable)")
		case s.Default == "true" || s.Default == "false":
			flags.Bool(s.Flag, s.Default == "true", s.Help)
			if s.Off != "" {
				flags.Bool(s.Off, false, "do not "+s.Help)
			}
		default:
			flags.String(s.Flag, s.Default, s.Help)
			flags.Lookup(s.Flag).NoOptDefVal = s.Alone
		}
	}
}

// aloneArg takes the argument after a flag that stands alone for its value: a flag whose
// value may be missing gets one only behind "=".
func aloneArg(cmd *cobra.Command, args []string) error {
	var alone []*pflag.Flag
	for _, s := range config.Settings() {
		if f := cmd.Flags().Lookup(s.Flag); s.Alone != "" && f.Changed && f.Value.String() == s.Alone {
			alone = append(alone, f)
		}
	}
	if len(args) != 1 || len(alone) != 1 {
		return ui.NoArgs(cmd, args)
	}
	return alone[0].Value.Set(args[0])
}

// checkRunFlags refuses what only a mistake can mean: an empty value is most
// often a variable of a script that was not set.
func checkRunFlags(flags *pflag.FlagSet) error {
	for _, name := range []string{"prompt", "prompt-file", "model", "adapter", "worktree", "verify", "fallback", "allow", "deny", "on-question"} {
		values := []string{flags.Lookup(name).Value.String()}
		if list, err := flags.GetStringArray(name); err == nil {
			values = list
		}
		isEmpty := func(v string) bool { return strings.TrimSpace(v) == "" }
		if flags.Changed(name) && (len(values) == 0 || slices.ContainsFunc(values, isEmpty)) { // pflag makes none of one empty value
			return ui.UsageError("leave the flag out, or say what", "--%s is empty", name)
		}
	}
	for _, two := range [][2]string{{"prompt", "prompt-file"}, {"fresh", "continue-session"}} {
		if flags.Changed(two[0]) && flags.Changed(two[1]) {
			return ui.UsageError("give one of them", "--%s and --%s exclude each other", two[0], two[1])
		}
	}
	return nil
}

// changed are the settings that the command line gives, by their flags.
func changed(flags *pflag.FlagSet) map[string]string {
	given := map[string]string{}
	for _, s := range config.Settings() {
		if f := flags.Lookup(s.Off); s.Off != "" && f != nil && f.Changed {
			given[s.Off] = f.Value.String()
		}
		f := flags.Lookup(s.Flag)
		if s.Flag == "" || f == nil || !f.Changed {
			continue
		}
		given[s.Flag] = f.Value.String()
		if s.Repeats {
			list, _ := flags.GetStringArray(s.Flag) // it is one
			given[s.Flag] = strings.Join(list, "\n")
		}
	}
	return given
}

func (a *app) runLoop(ctx context.Context, f loopFlags, flags map[string]string) error {
	project, err := os.Getwd()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("the working directory cannot be used: %w", err), "go to a directory that is there")
	}
	if err := layout.Check("."); err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	o, agent, err := a.loopOptions(ctx, project, f, flags)
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.dryRun(ctx, agent, o)
	}
	if err := a.readyAll(ctx, agent, o); err != nil {
		return err
	}
	stop, summary := a.drive(ctx, a.newLoopView(agent.entry, o.Config, f), o)
	if !f.json {
		a.summarise(summary)
	}
	return a.stopped(stop, f.json)
}

// drive runs a loop and shows it, until it stops or is interrupted.
func (a *app) drive(ctx context.Context, view *loopView, o loop.Options) (loop.Stop, *loop.Summary) {
	defer view.close()
	o.Observe = func(n loop.Notice) { view.notice(withFlags(n)) }
	l := loop.New(o)
	ctx, interrupts, done := ui.UntilSignal(ctx, false)
	defer done()
	go func() {
		for {
			select {
			case <-interrupts:
				view.interrupted()
				l.Interrupt()
			case <-ctx.Done():
				return
			}
		}
	}()
	stop := l.Run(ctx)
	view.close()
	return stop, view.summary
}

// loopOptions reads the settings and finds the agent that they ask for.
func (a *app) loopOptions(ctx context.Context, project string, f loopFlags, flags map[string]string) (o loop.Options, agent *loopAgent, err error) {
	c, notes, err := config.Load(project, flags, a.Getenv)
	if err != nil {
		return o, nil, ui.FailWith(ui.ExitUsage, err, "ripple run --help lists the settings; ripple init writes them all, commented out")
	}
	for _, n := range append(notes, config.Misnamed(os.Environ(), scenario.FileVariable, scenario.TurnVariable, journal.TokenVariable, journal.ProjectVariable)...) {
		a.Note("%s", n)
	}
	if agent, err = a.newLoopAgent(ctx, c, f); err != nil {
		return o, nil, err
	}
	if err := a.takeOptions(agent); err != nil {
		return o, nil, err
	}
	fallback, err := a.fallback(ctx, c, agent)
	if err != nil {
		return o, nil, err
	}
	hatAgents, err := a.hatAgents(ctx, c, agent)
	if err != nil {
		return o, nil, err
	}
	if f.prompt == "" && f.promptFile == "" {
		f.prompt, f.promptFile = c.Prompt, c.PromptFile
	}
	if f.promptFile != "" {
		if f.promptFile, err = filepath.Abs(f.promptFile); err != nil {
			return o, nil, ui.FailWith(ui.ExitUsage, err, "")
		}
	}
	a.warnOfTemplates(project, f)
	return loop.Options{
		Project: project, Config: agent.config, Agent: agent, AgentName: agent.entry.Name, DenialHelp: agent.entry.Adapter.Agent.DenialHelp,
		Fallback: fallback, HatAgents: hatAgents,
		Prompt: f.prompt, PromptFile: f.promptFile, Resume: f.resume, Attended: a.Interactive(),
		ExitCode: exitCode, Believable: proctree.HaltIfDying,
	}, agent, nil
}

// stopped says why the loop ended and what to do.
func (a *app) stopped(s loop.Stop, asJSON bool) error {
	code, next := exitCode(&s), whatNext(&s)
	if asJSON {
		return ui.ExitWith(code)
	}
	if a.ErrTerminal {
		indent := "  "
		if s.Done() {
			indent = "ripple: "
		}
		s.Why, next = a.Wrapped(s.Why, "ripple: "), a.Wrapped(next, indent)
	}
	if s.Done() {
		a.Note("%s", s.Why)
		a.Note("%s", next)
		return nil
	}
	return ui.FailWith(code, errors.New(s.Why), next)
}
