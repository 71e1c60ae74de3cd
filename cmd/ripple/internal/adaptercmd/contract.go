package adaptercmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/contract"
	"ripple/runtime/event"
	"ripple/runtime/registry"
	"ripple/runtime/session"
	"ripple/schema"
)

// testFlags are the flags of `ripple adapter test`.
type testFlags struct {
	all       bool
	shuffle   int64
	shard     string
	installed bool
	filter    string
	report    string
	parallel  int
	verbose   bool
	record    string
	like      string // a file; "": none
	level     int    // that has to be reached; 0: none
	watch     bool
	update    bool
	options   contract.Options
}

func newAdapterTest(a *app) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test {FILE | NAME}... | --all",
		Short: "Run the contract tests of adapters against their programs",
		Long: `Run the contract tests of adapters against their programs: the tests that the file
declares and those that follow from its samples, signals, modes and capabilities. A
coding agent takes the same scripted turns over each way that it has here, without an
account: its model is a server of ripple's.
An adapter whose program is not installed is skipped; with --require, and with
--executable, it is an error (exit code 3) in the report too. Exit code 4 says that
tests failed and that all of them ran out of time.

The report shows each test that did not simply pass, and the level of the adapter:
1 starts, evaluates, ends; 2 state, multi-line, errors, cwd, exit codes, modes;
3 hostile input and output, interrupts, forgery; 4 faults and leaks. A level is
reached when every test up to it that applies has passed; "n/a" says why one does not.
--level has a lower one fail. --like OTHER has an adapter fail that lost something which
OTHER has: the probe or a declared test that does not stand in it word for word, a test
that applied to OTHER and no longer applies.`,
		Example: "  ripple adapter test bash\n  ripple adapter test my.yaml --filter multi --verbose\n" +
			"  ripple adapter test --all --require --report junit > report.xml",
		Args: namesOrAll,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Guarded(func() error {
				switch {
				case f.update:
					return a.updateAdapter(cmd.Context(), args, f)
				case f.watch:
					return a.watchAdapter(cmd, args, f)
				}
				return a.testAdapters(cmd.Context(), args, f)
			})
		},
		ValidArgsFunction: ui.CompleteAdapter(a.App),
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "test every adapter that ripple knows")
	flags.StringVar(&f.filter, "filter", "", "run only the tests whose name matches this `REGEXP`")
	flags.BoolVar(&f.options.NoDerived, "no-derived", false, "run only the declared tests")
	flags.StringVar(&f.report, "report", "text", "`FORMAT` of the report: text, json, junit, tap, or github for annotations of a workflow")
	flags.BoolVar(&f.options.FailFast, "fail-fast", false, "stop an adapter's tests at the first failure")
	flags.DurationVar(&f.options.Timeout, "timeout", 0, "longest time for one test (0: as the adapter says)")
	flags.BoolVar(&f.options.Require, "require", false, "a missing program is an error")
	flags.BoolVar(&f.installed, "require-installed", false, "leave out missing programs; that an installed one is skipped is an error, and so is that none is installed")
	flags.Int64Var(&f.shuffle, "shuffle", 0, "test the adapters in a random order that this `SEED` gives (0: in the order given)")
	flags.StringVar(&f.shard, "shard", "", "test only part I of N (`I/N`) of the adapters; the parts together are all, on whatever machines they run")
	flags.IntVar(&f.options.Repeat, "repeat", 1, "run everything this often")
	flags.IntVar(&f.parallel, "parallel", 1, "test this many adapters at once")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show the tests that passed or did not start, too")
	flags.StringVar(&f.options.Executable, "executable", "", "the program to test instead of the one that the adapter names")
	flags.StringVar(&f.record, "record", "", "record the run of one adapter as an asciicast in this file")
	flags.IntVar(&f.level, "level", 0, "a lower level than this (1 to 4) is a failure")
	flags.StringVar(&f.like, "like", "", "nothing of what this other `ADAPTER` of the program does may be lost")
	flags.BoolVar(&f.watch, "watch", false, "test one file, and again whenever it changes, until Ctrl-C")
	flags.BoolVar(&f.update, "update", false, "write what the program prints into the declared tests that expect something else; never an error, a timeout or nothing at all")
	ui.Choices(cmd, "report", reportFormats...)
	ui.CompleteFlag(cmd, "filter", a.completeTests)
	ui.CompleteFlag(cmd, "like", ui.CompleteAdapter(a.App))
	return cmd
}

// completeTests gives the tests of the adapters that were named, as patterns of them.
func (a *app) completeTests(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, arg := range args {
		e, err := a.Adapter(arg)
		if err != nil {
			continue
		}
		for _, name := range contract.Names(e.Adapter, contract.Options{}) {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// testAdapters runs and reports.
func (a *app) testAdapters(ctx context.Context, args []string, f testFlags) (err error) {
	report, err := a.newReporter(f)
	if err != nil {
		return err
	}
	entries, err := a.chosen(args, &f)
	if err != nil {
		return err
	}
	f.options.Require = f.options.Require || f.options.Executable != "" // who names it means it
	if f.record != "" {
		file, err := ui.CreateRecording(f.record)
		if err != nil {
			return err
		}
		f.options.Record = file
		defer func() { err = errors.Join(err, file.Finish()) }()
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	reports := a.runContracts(ctx, entries, f, report)
	if err := report.finish(reports); err != nil && a.OutError() == nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if ctx.Err() != nil {
		return ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; the tests that were left are skipped"), "")
	}
	return f.verdict(reports)
}

// runContracts runs the adapters, several at once if asked, and gives their
// reports in order.
func (a *app) runContracts(ctx context.Context, entries []*registry.Entry, f testFlags, report *reporter) []*contract.Report {
	p := a.NewProgress()
	defer p.Stop()
	reports := make([]*contract.Report, len(entries))
	var group errgroup.Group
	group.SetLimit(f.parallel)
	for i, e := range entries {
		group.Go(func() error {
			o := f.options
			o.Agent, o.Files = agentTests{}, e.Files
			o.Progress = func(t contract.Progress) { p.Update(e.Name, t) }
			r := contract.Run(ctx, e.Adapter, o)
			p.Done(e.Name, func() {
				reports[i] = r
				report.early(reports)
			})
			return nil
		})
	}
	_ = group.Wait() // none of them fails: what goes wrong is in the reports
	return reports
}

// verdict is the exit code of the whole run.
func (f *testFlags) verdict(reports []*contract.Report) error {
	failed, late, missing := 0, 0, 0
	for _, r := range reports {
		if r.Skipped != "" {
			missing++
		}
		for _, t := range r.Tests {
			if t.Status != contract.Failed && t.Status != contract.Errored {
				continue
			}
			failed++
			if t.Failure != nil && t.Failure.EndedBy == string(session.ByTimeout) {
				late++
			}
		}
	}
	switch {
	case failed > 0 && failed == late:
		return ui.ExitWith(ui.ExitTimeout)
	case failed > 0:
		return ui.ExitWith(ui.ExitFailed)
	case missing > 0 && f.options.Executable != "":
		return ui.FailWith(ui.ExitMissing, fmt.Errorf("--executable %q cannot be started", f.options.Executable), "")
	case missing > 0 && f.options.Require:
		return ui.FailWith(ui.ExitMissing, fmt.Errorf("%s missing, and --require wants all", ui.CountAre(missing, "program")), "")
	}
	return f.graded(reports)
}

// agentTests lets contract tests judge turns.
type agentTests struct{}

func (agentTests) Command(a *schema.Adapter, t schema.AgentTurn) ([]string, string, error) {
	c, err := agent.NewCommand(a, agent.TurnOf(t))
	return c.Args, c.Stdin, err
}

func (agentTests) Replay(a *schema.Adapter, output, stderr io.Reader, exitCode int) (events []event.Event, f *event.Failure, err error) {
	out, err := agent.Replay(a, agent.Recording{Output: output, Stderr: stderr, ExitCode: exitCode}, func(e event.Event) { events = append(events, e) })
	return events, out.Failure, err
}

func (agentTests) Take(ctx context.Context, a *schema.Adapter, t contract.Trial) (contract.Taken, error) {
	out, err := agent.Run(ctx, a, agent.Turn{Prompt: t.Prompt}, agent.Options{
		Dir: t.Dir, Env: t.Env, Executable: t.Executable, Timeout: t.Timeout, OnEvent: t.Emit, Output: t.Output,
	})
	return contract.Taken{Text: out.Text, Failure: out.Failure, ExitCode: ui.TurnExit(out)}, err
}
