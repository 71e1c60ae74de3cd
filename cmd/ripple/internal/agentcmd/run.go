package agentcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// runFlags are the flags of `ripple agent run`.
type runFlags struct {
	adapter    string
	transport  string
	promptFile string
	json       bool
	transcript string
	detach     bool
	turn       agent.Turn
	options    agent.Options
}

func newAgentRun(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [--adapter NAME] [--] PROMPT | -",
		Short: "Run one turn of an agent",
		Long: `Run one turn of an agent. Its text is printed on standard output as it arrives, tool calls and
notes on standard error. PROMPT is one argument; "-" reads it from standard input,
--prompt-file from a file. Without --adapter, the first installed agent takes the turn; "ripple
doctor" shows the order.

--screen takes the turn in the agent's own full-screen interface, if its adapter describes that;
on a terminal you see it, and can type and answer. --detach continues it in the background, as a
console.

--json prints one object per line: the events of the turn, by "type" (session, text, reasoning,
tool_use, tool_result, usage, rate_limited, permission_denied, error, finished, unknown), and
finally an object of type "outcome":

  exit_code    integer  exit code of the agent's program
  tokens       object   used tokens: input, output, cache_read, cache_write; and cost_usd
  failure      object   why the turn failed: kind, message, resets_at, hint; absent if it succeeded
  signal       string   signal that ended the agent's program
  session_id   string   ID of the agent's session, for --resume
  text         string   the agent's final answer
  denials      integer  number of denied tool uses
  asked        array    questions of the agent that nobody answered
  unknown      integer  number of lines that are unknown to the adapter
  problems     array    problems of ripple with the turn, such as lost output
  duration_ms  integer  duration in milliseconds

Ctrl-C ends the turn and all processes that the agent started. Exit codes:

    0  the turn succeeded
    1  it failed
    3  the agent is missing or too old
    4  the turn timed out
    5  a limit was reached
    8  a tool was denied, the agent has a question, or no user is logged in
  130  interrupted`,
		Example: `  ripple agent run "what does this project do?"
  ripple agent run --adapter codex --timeout 10m --json - < task.md
  ripple agent run --adapter claude --resume 7e0c… "now the tests"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (f.promptFile != "") {
				return ui.UsageError(ui.SeeHelp(cmd), "give one prompt: as an argument, as - for standard input, or with --prompt-file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notEmpty(cmd.Flags(), "resume", "session-id", "model", "permission-mode"); err != nil {
				return err
			}
			if f.detach {
				return a.agentDetached(cmd.Context(), args, f)
			}
			if f.transport == schema.TransportScreen && !f.json && a.Interactive() && !proctree.IsInner() {
				defer attached.Supervise(a.Stdout.(*os.File))()
			}
			return a.Guarded(func() error { return a.agentRun(cmd.Context(), args, f) })
		},
	}
	f.addTo(cmd.Flags())
	a.Trust.Flag(cmd)
	ui.Transport(cmd, &f.transport)
	cmd.Flags().BoolVar(&f.detach, "detach", false, "with --screen, continue in the background as a console")
	for _, bound := range []string{"timeout", "idle-timeout", "json", "transcript"} {
		cmd.MarkFlagsMutuallyExclusive("detach", bound) // they are for who waits
	}
	ui.CompleteFlag(cmd, "adapter", ui.CompleteAgent(a.App))
	ui.CompleteFlag(cmd, "permission-mode", ui.CompleteMode(a.App))
	return cmd
}

func (f *runFlags) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.adapter, "adapter", "auto", "the agent: the `NAME` or file of an adapter, or auto")
	flags.StringVar(&f.promptFile, "prompt-file", "", "read the prompt from this `FILE`")
	flags.BoolVar(&f.json, "json", false, "print events as NDJSON")
	flags.StringVar(&f.transcript, "transcript", "", "record the agent's output in `FILE`, its errors in FILE.stderr")
	flags.StringVar(&f.turn.SessionID, "resume", "", "continue the session with this `ID`")
	flags.StringVar(&f.turn.NewSessionID, "session-id", "", "start a session with this `ID`")
	flags.StringVar(&f.turn.Model, "model", "", "use the model `NAME`")
	flags.StringVar(&f.turn.Context, "context", "", "`TEXT` to append to the agent's system prompt")
	flags.StringSliceVar(&f.turn.AllowedTools, "allowed-tools", nil, "tools that the agent may use, as a comma-separated `LIST`")
	flags.StringVar(&f.turn.PermissionMode, "permission-mode", "", "the agent's own permission `MODE`")
	flags.IntVar(&f.turn.MaxTurns, "max-turns", 0, "maximum number of the agent's own steps")
	flags.StringVar(&f.options.Dir, "cwd", "", "the agent's working `DIRECTORY`")
	flags.StringArrayVar(&f.options.Env, "env", nil, "set an environment variable, `KEY=VALUE`; repeatable")
	flags.StringVar(&f.options.Executable, "executable", "", "program to start instead of the adapter's")
	flags.DurationVar(&f.options.Timeout, "timeout", 0, "maximum duration of the turn (0: no limit)")
	flags.DurationVar(&f.options.IdleTimeout, "idle-timeout", 0, "maximum time without output (0: no limit)")
}

// prepared returns the agent and its task. Nothing has been started: options that it does not
// support are errors here.
func (a *app) prepared(ctx context.Context, args []string, f *runFlags) (*registry.Entry, agent.Command, error) {
	a.Examiner.StartDir = f.options.Dir
	e, err := a.AgentAdapter(ctx, f.adapter)
	if err != nil {
		return nil, agent.Command{}, err
	}
	if e, err = ui.WithTransport(e, f.transport); err != nil {
		return nil, agent.Command{}, err
	}
	if f.turn.Prompt, err = a.promptText(args, f.promptFile); err != nil {
		return nil, agent.Command{}, err
	}
	if err := f.check(); err != nil {
		return nil, agent.Command{}, err
	}
	c, err := agent.NewCommand(e.Adapter, f.turn)
	if err != nil {
		err = ui.TurnError(err)
	}
	return e, c, err
}

func (a *app) agentRun(ctx context.Context, args []string, f runFlags) (ended error) {
	e, _, err := a.prepared(ctx, args, &f)
	if err != nil {
		return err
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	if err := a.Ready(ctx, e, launch.Program{Executable: f.options.Executable, Env: f.options.Env}); err != nil {
		return err
	}
	if f.transcript != "" {
		rec, err := newTranscript(f.transcript)
		if err != nil {
			return err
		}
		f.options.Output, f.options.Stderr = rec, errorStream{rec}
		defer func() { ended = a.first(ended, rec.close()) }()
	}
	show := a.NewTurnView(e.Adapter, f.json)
	f.options.OnEvent, f.options.OwnsOrphans = show.Event, true
	take := func(ctx context.Context, o agent.Options) (agent.Outcome, error) {
		return agent.Run(ctx, e.Adapter, f.turn, o)
	}
	var out agent.Outcome
	if s := a.terminalFor(e.Adapter.Agent, f.json); s != nil {
		out, err = takeAttached(ctx, s, f.options, take)
	} else {
		out, err = take(ctx, f.options)
	}
	if err != nil {
		return ui.TurnError(err)
	}
	show.Outcome(out)
	return turnVerdict(e.Adapter, out, f.json)
}

// first is the error that a command ends with; the second one is a note.
func (a *app) first(err, second error) error {
	if err == nil {
		return second
	}
	if second != nil {
		a.Note("%v", second)
	}
	return err
}

// check refuses values that would be taken for "nothing was asked".
func (f runFlags) check() error {
	if f.turn.MaxTurns < 0 {
		return ui.UsageError("", "--max-turns must be at least 0, not %d", f.turn.MaxTurns)
	}
	for _, kv := range f.options.Env {
		if key, _, is := strings.Cut(kv, "="); !is || key == "" {
			return ui.UsageError("", "--env %q is not KEY=VALUE", kv)
		}
	}
	return nil
}

// notEmpty refuses a flag that was given without a value, as `--resume "$ID"` is
// when ID is not set.
func notEmpty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return ui.UsageError("leave the flag out, or give it a value", "--%s is empty", name)
		}
	}
	return nil
}

// promptText is the prompt, wherever it comes from.
func (a *app) promptText(args []string, file string) (string, error) {
	var b []byte
	var err error
	switch {
	case file != "":
		var f *os.File
		if f, err = projectfile.OpenNamed(file); err == nil {
			defer f.Close() // only read from
			b, err = io.ReadAll(f)
		}
	case args[0] == "-":
		b, err = io.ReadAll(a.In)
	default:
		return args[0], nil
	}
	if err != nil {
		return "", ui.FailWith(ui.ExitUsage, fmt.Errorf("the prompt cannot be read: %w", err), "")
	}
	return string(b), nil
}

// turnVerdict is the exit code of a turn, with what to do about it.
func turnVerdict(a *schema.Adapter, o agent.Outcome, quiet bool) error {
	g := a.Agent
	if o.Failure == nil {
		switch {
		case o.OK():
			return nil
		case quiet:
			return ui.ExitWith(ui.ExitBlocked)
		case len(o.Unanswered) > 0:
			hint := "answer in the next prompt"
			if o.SessionID != "" && g.Options.Resume != nil {
				hint += ", with --resume " + o.SessionID
			}
			return ui.FailWith(ui.ExitBlocked, fmt.Errorf("%s asks: %s", g.DisplayName, ui.Harmless(strings.Join(o.Unanswered, "\n"))), hint)
		}
		return ui.FailWith(ui.ExitBlocked, fmt.Errorf("%s was refused %s", g.DisplayName, ui.Count(len(o.Denials), "tool use")), g.DenialHelp)
	}
	code := ui.TurnExit(o)
	if quiet {
		return ui.ExitWith(code)
	}
	return ui.FailWith(code, fmt.Errorf("%s: %s", g.DisplayName, describeFailure(o.Failure)), hintFor(a, o))
}

func describeFailure(f *event.Failure) string {
	text := strings.ReplaceAll(string(f.Kind), "_", " ")
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

func hintFor(a *schema.Adapter, o agent.Outcome) string {
	f := o.Failure
	goOn := ""
	if o.SessionID != "" && a.Agent.Options.Resume != nil {
		goOn = "to continue: --resume " + o.SessionID
	}
	if f.Hint != "" {
		return f.Hint
	}
	switch f.Kind {
	case event.Auth:
		return a.Agent.Auth.Hint
	case event.Denied:
		return a.Agent.DenialHelp
	case event.Limited:
		if !f.ResetsAt.IsZero() {
			return "the limit ends at " + f.ResetsAt.Local().Format(time.RFC1123)
		}
		return "wait, or choose another model with --model"
	case event.Overloaded:
		return "run it again later, or choose another model with --model"
	case event.SessionUnknown, event.ContextFull:
		return "leave out --resume to begin a new session"
	case event.Version:
		return "to see what to do: ripple doctor --adapter " + a.Name
	case event.Timeout:
		return strings.TrimPrefix(goOn+"; to change the limits of a turn: --timeout, --idle-timeout", "; ")
	case event.Crashed:
		if o.UnknownLines > 0 {
			return "to record its output: ripple agent run --transcript FILE; to see how the adapter interprets it: ripple agent map --adapter " + a.Name + " < FILE"
		}
	}
	return goOn
}
