package adaptercmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
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
	like      string // a file; "" for none
	level     int    // minimum level; 0 for none
	watch     bool
	update    bool
	apart     bool  // this process runs the tests of [contract.Options.RunSeparately]
	broken    error // names the adapters that do not load
	options   contract.Options
}

func newAdapterTest(a *app) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test {FILE | NAME}... | --all",
		Short: "Run the contract tests of adapters against their programs",
		Long: `Run the contract tests of adapters against their programs: the tests that the file
declares and those that follow from its samples, signals, modes and capabilities. For a
coding agent, the same scripted turns run over each available transport. No account is needed:
ripple provides the model server. The tests run in an empty directory: they do not find
files that the adapter names by a relative path.

An adapter whose program is not installed is skipped; with --require or --executable
that is an error, which the report shows. With --require-installed it is an error if a
program is installed but skipped, or if none is installed. Exit codes:

  0  no test failed
  1  tests failed
  2  a file does not load; those that do are tested
  3  a required program is missing
  4  tests failed, and all of them timed out

--update changes the file: expectations of declared tests that fail are replaced with what the
program printed, but never with an error, a timeout or empty output. --shard I/N divides the
adapters in the same way on every machine, so that N machines test all of them. With --parallel 1,
the tests run one after another. --report github prints annotations for a GitHub workflow.

The report lists each test that did not pass, and the level of the adapter:

  1  starts, evaluates, ends
  2  state, multi-line input, errors, directory, exit codes, modes
  3  hostile input and output, interrupts, forged markers
  4  faults and leaks

A level is reached when every applicable test up to it has passed; "n/a" states why a test
does not apply. With --level, a lower level is a failure. With --like OTHER, it is a failure if
the adapter lacks the probe or a declared test of OTHER (they are compared word for word), or if
a derived test applies to OTHER but not to the adapter.`,
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
	flags.BoolVar(&f.all, "all", false, "test all adapters known to ripple")
	flags.StringVar(&f.filter, "filter", "", "run only the tests whose name matches this `REGEXP`")
	flags.BoolVar(&f.options.NoDerived, "no-derived", false, "run only the declared tests")
	flags.StringVar(&f.report, "report", "text", "`FORMAT` of the report: text, json, junit, tap or github")
	flags.BoolVar(&f.options.FailFast, "fail-fast", false, "stop an adapter's tests at the first failure")
	flags.DurationVar(&f.options.Timeout, "timeout", 0, "maximum duration of a test (0: as the adapter specifies)")
	flags.BoolVar(&f.options.RequireProgram, "require", false, "fail if a program is missing")
	flags.BoolVar(&f.installed, "require-installed", false, "ignore missing programs, but fail if an installed one is skipped")
	flags.Int64Var(&f.shuffle, "shuffle", 0, "test in a random order determined by `SEED` (0: as given)")
	flags.StringVar(&f.shard, "shard", "", "test only part I of N of the adapters, `I/N`")
	flags.IntVar(&f.options.Repeat, "repeat", 1, "number of times to run everything")
	flags.IntVar(&f.parallel, "parallel", 4, "maximum number of programs to run concurrently")
	flags.BoolVar(&f.apart, "apart", false, "run derived tests that count the open files of this process")
	_ = flags.MarkHidden("apart") // the flag was just defined
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also show tests that passed or did not start")
	flags.StringVar(&f.options.Executable, "executable", "", "program to test instead of the adapter's")
	flags.StringVar(&f.record, "record", "", "record the run of one adapter as an asciicast in this file")
	flags.IntVar(&f.level, "level", 0, "minimum level (1 to 4); a lower one is a failure")
	flags.StringVar(&f.like, "like", "", "fail if the adapter lacks a test that this `ADAPTER` has")
	flags.BoolVar(&f.watch, "watch", false, "test one file, and again whenever it changes, until Ctrl-C")
	flags.BoolVar(&f.update, "update", false, "replace failing expectations with the program's output")
	ui.Choices(cmd, "report", reportFormats...)
	ui.CompleteFlag(cmd, "filter", a.completeTests)
	ui.CompleteFlag(cmd, "like", ui.CompleteAdapter(a.App))
	return cmd
}

// completeTests completes the test names of the given adapters, as patterns that match them.
func (a *app) completeTests(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, arg := range args {
		e, err := a.Look(arg)
		if err != nil {
			continue
		}
		for _, name := range contract.ListTests(e.Adapter, contract.Options{}) {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// testAdapters runs tests and reports on them.
func (a *app) testAdapters(ctx context.Context, args []string, f testFlags) (err error) {
	report, err := a.newReporter(f)
	if err != nil {
		return err
	}
	entries, err := a.chosen(args, &f)
	if err != nil {
		return err
	}
	f.options.RequireProgram = f.options.RequireProgram || f.options.Executable != "" // naming a program requires it
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
		return ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; the remaining tests are skipped"), "")
	}
	return f.verdict(reports)
}

// runContracts tests the adapters, several concurrently if requested, and returns their reports in
// order.
func (a *app) runContracts(ctx context.Context, entries []*registry.Entry, f testFlags, report *reporter) []*contract.Report {
	p := a.NewProgress()
	defer p.Stop()
	reports := make([]*contract.Report, len(entries))
	var programs *contract.ProgramLimit
	if f.parallel > 1 {
		programs = contract.NewProgramLimit(f.parallel)
	}
	var group errgroup.Group
	group.SetLimit(f.parallel)
	for i, e := range entries {
		group.Go(func() error {
			o := f.options
			o.Agent, o.Files, o.ProgramLimit = agentTests{}, e.Files, programs
			if programs != nil && !f.apart && a.In == os.Stdin {
				o.RunSeparately = f.testApart(e)
			}
			o.Progress = func(t contract.Progress) { p.Update(e.Name, t) }
			r := contract.Run(ctx, e.Adapter, o)
			p.Done(e.Name, func() {
				reports[i] = r
				report.early(reports)
			})
			return nil
		})
	}
	_ = group.Wait() // no goroutine fails: errors are in the reports
	return reports
}

// testApart returns a function that runs derived tests of an adapter in another process of ripple.
func (f testFlags) testApart(e *registry.Entry) func(context.Context, *regexp.Regexp, int) (*contract.Report, error) {
	adapter := e.Path
	if e.Origin == registry.OriginEmbedded || e.Origin == registry.OriginUser { // the rule for links is one for paths
		adapter = e.Name
	}
	return func(ctx context.Context, names *regexp.Regexp, programs int) (*contract.Report, error) {
		encoded, err := e.Encode()
		if err != nil {
			return nil, err
		}
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, self, "adapter", "test", "--apart", "--report", "json", "--filter", names.String(),
			"--parallel", strconv.Itoa(programs), "--timeout", f.options.Timeout.String(), "--executable", f.options.Executable, "--", adapter)
		cmd.Stdin = bytes.NewReader(encoded)
		cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, apartDelay
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		ended := cmd.Run() // a failed test sets the exit code, too
		reports, err := contract.ReadJSON(&out)
		if err != nil || len(reports) != 1 {
			return nil, errors.Join(ended, err, errors.New(strings.TrimSpace(said.String())))
		}
		return reports[0], nil
	}
}

// handedOver returns the adapter that testApart wrote to standard input, because its file may have
// changed since the user approved it, or the named one if nothing was written.
func (a *app) handedOver(args []string) ([]*registry.Entry, []*registry.BrokenError, error) {
	encoded, err := io.ReadAll(a.In)
	if err != nil {
		return nil, nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	if len(encoded) == 0 {
		return a.targets(args, false)
	}
	ad, err := schema.Decode(encoded)
	if err != nil {
		return nil, nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	return []*registry.Entry{{Adapter: ad, Name: ad.Name, Aliases: ad.Aliases, Origin: registry.OriginFile, Path: ad.Source}}, nil, nil
}

// apartDelay is how long that process may take to close its programs after an interrupt.
const apartDelay = 30 * time.Second

// verdict returns the error with the exit code of the whole run.
func (f *testFlags) verdict(reports []*contract.Report) error {
	if f.broken != nil {
		return f.broken
	}
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
	case missing > 0 && f.options.RequireProgram:
		return ui.FailWith(ui.ExitMissing, fmt.Errorf("%s missing; --require requires all", ui.CountAre(missing, "program")), "")
	}
	return f.graded(reports)
}

// agentTests provides the turns for contract tests of agents.
type agentTests struct{}

func (agentTests) Command(a *schema.Adapter, t schema.AgentTurn) ([]string, string, error) {
	c, err := agent.NewCommand(a, agent.TurnOf(t))
	return c.Args, c.Stdin, err
}

func (agentTests) Replay(a *schema.Adapter, output, stderr io.Reader, exitCode int) (events []event.Event, f *event.Failure, err error) {
	out, err := agent.Replay(a, agent.Recording{Output: output, Stderr: stderr, ExitCode: exitCode}, func(e event.Event) { events = append(events, e) })
	return events, out.Failure, err
}

func (agentTests) RunTurn(ctx context.Context, a *schema.Adapter, t contract.TurnRequest) (contract.TurnResult, error) {
	out, err := agent.Run(ctx, a, agent.Turn{Prompt: t.Prompt}, agent.Options{
		Dir: t.Dir, Env: t.Env, Executable: t.Executable, Timeout: t.Timeout, OnEvent: t.Emit, Output: t.Output,
	})
	return contract.TurnResult{Text: out.Text, Failure: out.Failure, ExitCode: ui.TurnExit(out)}, err
}
