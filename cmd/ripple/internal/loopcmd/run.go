package loopcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/proctree"
)

// loopFlags are the flags of `ripple run` that are not settings of the loop.
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
	agent      string // that auto chose when the run began; "": it chooses
	kept       bool   // the task is the one that the run began with
	ofProject  bool   // a file of the project names promptFile, and not the user
}

// newRun is ripple run.
func newRun(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var f loopFlags
	cmd := &cobra.Command{
		Use:   "run [--adapter NAME]",
		Short: "Run an agent turn after turn until the work is done",
		Long: `Let a coding agent work on the task in .ralph/PROMPT.md, turn after turn, until the
work is done or there is a reason to stop: a limit, a budget, no progress, a denied
permission. "ripple init" writes the files that a loop needs.

When the agent claims that the work is done, the loop runs the --verify commands and ends
only if all of them succeed. At the end it prints the reason and what to do next. Exit codes:

    0  done: verified, or claimed if there is no --verify command
    1  an error, such as a full disk or a file without access
    2  a flag, a setting, the branch or the agent's command line is invalid
    3  the agent, the prompt or git is missing
    5  a limit or budget was reached
    6  the circuit is open: no progress, or the same error repeatedly
    7  the agent claimed that the work is done, but verification failed
    8  the agent needs a user: a permission, a login, an answer
  130  interrupted

Each question of an agent has an ID. On a terminal, with --on-question or with
--wait-for-answer, the loop waits for "ripple answer". Otherwise it stops with code 8; answer
with "ripple answer" and continue with --resume. --allow and --deny answer requests for
permissions in advance.

Ctrl-C ends the loop after the current turn; a second one ends the agent immediately.
"ripple run --resume" continues a loop that has ended for any reason, with its original
settings; flags given with --resume change them.

Settings come from flags, the environment, ripple.yml, .ralph/.ralphrc and .ralphrc, in
this order of precedence; --dry-run shows each with its name, value and source. In the
environment, those listed from MAX_TURNS on have the prefix RIPPLE_: RIPPLE_MAX_TURNS.

A DURATION is a number in the unit that the flag names, or has a unit: 90s, 15m, 2h, 1d. A
SIZE is a number of bytes, or has a suffix: 500k, 32M, 2G. 0 means no limit for --max-runtime,
--max-cost, --max-tokens and --max-output. Limits of a run include its resumed parts. Costs and
tokens are those that the agent reports, without cached tokens. Some flags need more words:

  --adapter             auto is the first usable agent; custom is cli.command in ripple.yml
  --allow, --deny       a RULE is TOOL or TOOL(INPUT), where * matches anything, as in
                        'Bash(git *)'; --deny overrides --allow
  --box-net             HOST (ports 80 and 443), HOST:PORT, HOST:PORT=ADDRESS:PORT, or any
  --completion-promise  an answer that ends with this line claims that the work is done
  --fallback            names in order of preference, such as codex,gemini; they also take
                        over while the provider is unreachable
  --max-output          applies to .ralph/events.jsonl and to each log separately
  --max-record          above it, events of the oldest turns are removed; --max-logs: the oldest logs
  --on-denial           threshold opens the circuit after several denials
  --on-question         the command gets the question as JSON on standard input
  --wait-for-answer     auto waits on a terminal and with --on-question`,
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
			if err := a.RefuseSudo("."); err != nil {
				return err
			}
			return a.Guarded(run)
		},
	}
	f.addTo(cmd.Flags())
	cmd.SetFlagErrorFunc(flagError)
	a.Trust.Flag(cmd)
	ui.Transport(cmd, &f.transport)
	ui.CompleteFlag(cmd, "adapter", ui.CompleteAgent(a.App))
	ui.CompleteFlag(cmd, "fallback", ui.CompleteAgents(a.App))
	ui.CompleteFlag(cmd, "permission-mode", ui.CompleteMode(a.App))
	ui.Choices(cmd, "wait-for-answer", "auto", "always", "never")
	ui.Choices(cmd, "on-denial", "continue", "halt", "threshold")
	return cmd
}

func (f *loopFlags) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.prompt, "prompt", "", "the task as `TEXT`, instead of .ralph/PROMPT.md")
	flags.StringVar(&f.promptFile, "prompt-file", "", "read the task from this `FILE`, instead of .ralph/PROMPT.md")
	flags.StringVar(&f.model, "model", "", "use the model `NAME`")
	flags.BoolVar(&f.resume, "resume", false, "continue the last loop, with its original settings")
	flags.BoolVar(&f.live, "live", false, "show tool calls and results, also without a terminal")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print command line, prompt and settings; start nothing")
	flags.BoolVar(&f.json, "json", false, "print events as NDJSON")
	addSettings(flags)
}

// toolsFlag is the flag whose default is a list of all usual tools.
const toolsFlag = "allowed-tools"

// addSettings gives every setting of the loop that has one its flag. config.Load
// reads their values.
func addSettings(flags *pflag.FlagSet) {
	for _, s := range config.Settings() {
		switch {
		case s.Flag == "":
		case s.Repeats:
			flags.StringArray(s.Flag, nil, s.Summary()+" (repeatable)")
		case s.Default == "true" || s.Default == "false":
			flags.Bool(s.Flag, s.Default == "true", s.Summary())
			if s.Off != "" {
				flags.Bool(s.Off, false, "do not "+s.Summary())
			}
		default:
			flags.String(s.Flag, s.Default, s.Summary())
			f := flags.Lookup(s.Flag)
			f.NoOptDefVal = s.Alone
			if s.Flag == toolsFlag {
				f.DefValue = "" // its line would be the longest by far: --dry-run shows it
			}
		}
	}
}

// projectDir returns the working directory, in which a loop can keep its files.
func projectDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", ui.FailWith(ui.ExitFailed, fmt.Errorf("the working directory cannot be used: %w", err), "change to an existing directory")
	}
	if err := layout.Check("."); err != nil {
		return "", ui.FailWith(ui.ExitUsage, err, "")
	}
	return dir, nil
}

func (a *app) runLoop(ctx context.Context, f loopFlags, flags map[string]string) error {
	project, err := projectDir()
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := checkWritable(project); err != nil {
			return err
		}
	}
	o, agent, err := a.loopOptions(ctx, project, f, flags)
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.dryRun(ctx, agent, o)
	}
	if stop := lockedAbove(project); stop != nil {
		view := a.newLoopView(agent.entry, o.Config, f)
		view.notice(loop.Notice{Kind: loop.NoticeStopped, Stop: stop})
		view.close()
		return a.stopped(*stop, f.json)
	}
	a.noteLoopAbove()
	if err := agreedAndReady(ctx, a, project, agent, &o); err != nil {
		return err
	}
	if o.Config.Box {
		box, err := openBox(a, o, agent)
		if err != nil {
			return err
		}
		defer box.Close()
		o.Box = box
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
				view.interrupt(l.Interrupt)
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
	c, notes, began, err := loadSettings(a, project, &f, flags)
	if err != nil {
		return o, nil, err
	}
	for _, n := range append(notes, config.Misnamed(os.Environ(), scenario.FileVariable, scenario.TurnVariable, journal.TokenVariable, journal.ProjectVariable, journal.AnswerVariable)...) {
		a.Note("%s", n)
	}
	if err := checkBox(c); err != nil {
		return o, nil, err
	}
	if agent, err = a.newLoopAgent(ctx, c, f); err != nil {
		return o, nil, unknownAgent(c, agentSetting, err)
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
	if f.prompt == "" && f.promptFile == "" && !f.kept {
		f.prompt, f.promptFile, f.ofProject = c.Prompt, c.PromptFile, c.PromptFile != ""
	}
	if f.promptFile != "" {
		if f.promptFile, err = filepath.Abs(f.promptFile); err != nil {
			return o, nil, ui.FailWith(ui.ExitUsage, err, "")
		}
	}
	a.warnOfPromptFile(f.prompt)
	a.warnOfTemplates(project, f)
	settings := a.settingsOf(project, c, agent, f)
	settings.AdapterFiles = adapterFiles(agent, fallback)
	if began != nil {
		if err := checkAdapterFiles(began, settings, flags); err != nil && !f.dryRun {
			return o, nil, err
		}
		tellResumed(a, began, settings)
	}
	if f.dryRun && !mayReadTask(a, project, c, f) {
		a.Note("the task in %s is not read, because the file that names it has not been approved (to approve it: ripple trust)", f.promptFile)
		f.prompt, f.promptFile = "(the task in "+f.promptFile+")", ""
	}
	return loop.Options{
		Project: project, Config: agent.config, Agent: agent, AgentName: agent.entry.Name, DenialHelp: agent.entry.Adapter.Agent.DenialHelp,
		Fallback: fallback, HatAgents: hatAgents,
		Prompt: f.prompt, PromptFile: f.promptFile, PromptInside: f.ofProject, Resume: f.resume, Settings: settings, Attended: a.Interactive(),
		ExitCode: ExitCode, Advice: whatNext, BeforeWrite: proctree.BlockIfShuttingDown, BeforeUnlock: endOrphans,
	}, agent, nil
}

// endOrphans ends the processes that checks and hooks of git left running, while the loop still has its lock: without the
// lock, commands of these processes could not be traced to the loop.
func endOrphans() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = proctree.EndOrphans(ctx) // processes that resist are reported at the end of this process
}

// stopped says why the loop ended and what to do.
func (a *app) stopped(s loop.Stop, asJSON bool) error {
	code, next := ExitCode(&s), whatNext(&s)
	if asJSON {
		return ui.ExitWith(code)
	}
	if a.ErrTerminal {
		indent := "  "
		if s.Done() {
			indent = "ripple: "
		}
		s.Message, next = a.Wrapped(s.Message, "ripple: "), a.Wrapped(next, indent)
	}
	if s.Done() {
		a.Note("%s", s.Message)
		a.Note("%s", next)
		return nil
	}
	return ui.FailWith(code, errors.New(s.Message), next)
}
