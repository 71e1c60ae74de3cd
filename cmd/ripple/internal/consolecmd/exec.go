package consolecmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// execFlags are the flags of `ripple console exec`.
type execFlags struct {
	file    string
	lines   bool
	json    bool
	queue   bool
	timeout time.Duration
	expect  string
}

func newExec(a *ui.App) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [CONSOLE] [--] CODE | - | -f FILE | --lines",
		Short: "Run a command in a console",
		Long: `Run a command in a console and print its output as it arrives. The exit code is that of
the command, if the program reports one.

CODE is one argument, of one line or several; "-" reads it from standard input. With
--lines each line of standard input is a separate command.

The wait ends, and the command continues, after --timeout, on Ctrl-C, and when the command
waits for input. No other command runs until it has ended.

  to answer it:     ripple console send
  to wait again:    ripple console wait
  to interrupt it:  ripple console send --key C-c

--json prints one object per command, on one line each: the fields of "ripple exec --json", and

  id          integer  number of the command in the console, counted from 1
  code        string   the command, or the beginning of a long one
  by          string   client that sent it
  started     string   time of its start (RFC 3339)
  ended       string   time of its end; absent while it runs
  lines       integer  number of lines of its output
  state       string   state of the console; see docs/consoles.md
  incomplete  boolean  true if the code is incomplete, so that nothing of it ran
  lost        integer  bytes of its output that could not be written, for the reason lost_why; the
                       first of them are missing in the line with the number lost_from, or after it
  dropped     integer  bytes of its output, from byte dropped_at on, that are no longer kept`,
		Example: `  ripple console exec work 'make -j4'
  ripple console exec work --timeout 30s -f build.sh
  ripple console exec --json calc '6 * 7'`,
		RunE: func(cmd *cobra.Command, args []string) error { return execute(a, cmd.Context(), args, f) },
		Args: func(cmd *cobra.Command, args []string) error {
			limit := 2
			if f.file != "" || f.lines {
				limit = 1
			}
			if len(args) > limit {
				return ui.UsageError("quote the code: it must be one argument", "%s", "too many arguments")
			}
			if limit == 2 && len(args) == 0 {
				return ui.UsageError(`give the code as one argument, with -f FILE, or "-" or --lines for standard input`, "nothing to run")
			}
			return nil
		},
		ValidArgsFunction: completeNames(a),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", `run the content of this file ("-": standard input)`)
	flags.BoolVar(&f.lines, "lines", false, "each line of standard input is a command")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per command, one per line")
	flags.DurationVar(&f.timeout, "timeout", 0, "maximum wait for one command (0: no limit)")
	flags.StringVar(&f.expect, "expect-cwd", "", "refuse to run it unless the program is in this `DIRECTORY`")
	flags.BoolVar(&f.queue, "queue", false, "if another client waits for a command there, queue instead of failing")
	cmd.MarkFlagsMutuallyExclusive("file", "lines")
	return cmd
}

func execute(a *ui.App, ctx context.Context, args []string, f execFlags) error {
	next, name, err := source(a, args, f)
	if err != nil {
		return err
	}
	c, err := find(a, name)
	failed, ok := errors.AsType[*ui.ExitError](err)
	if ok && failed.Err != console.ErrNoConsole && len(args) == 1 && len(name) == 0 {
		return ui.FailWith(failed.Code, failed.Err, "the only argument is the code; with a name: ripple console exec NAME CODE")
	}
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	var end error
	for {
		code, err := next()
		if errors.Is(err, io.EOF) {
			return end
		}
		if err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		if failed, ok := errors.AsType[*ui.ExitError](end); ok && failed.Err != nil { // of the line before
			a.Note("%v", failed.Err)
		}
		q := console.ExecRequest{Code: code, By: "exec", Wait: f.timeout, ExpectCwd: f.expect, Queue: f.queue}
		var goesOn bool
		if goesOn, end = runOne(a, f.json, func(out io.Writer) (console.WaitResult, error) { return c.Exec(ctx, q, out) }); !goesOn {
			return end
		}
	}
}

// source returns the source of the commands, and the arguments that name a console.
func source(a *ui.App, args []string, f execFlags) (next func() (string, error), rest []string, err error) {
	one := func(code string) func() (string, error) {
		done := false
		return func() (string, error) {
			if done {
				return "", io.EOF
			}
			done = true
			return code, nil
		}
	}
	var in io.Reader = a.In
	switch {
	case f.lines:
		lines := bufio.NewReader(a.In)
		return func() (string, error) {
			line, err := lines.ReadString('\n')
			if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
				return "", err
			}
			return strings.TrimRight(line, "\r\n"), nil
		}, args, nil
	case f.file == "":
		code := args[len(args)-1]
		args = args[:len(args)-1]
		if code != "-" {
			return one(code), args, nil
		}
	case f.file != "-":
		file, err := os.Open(f.file)
		if err != nil {
			return nil, nil, ui.UsageError("", "reading the code: %w", err)
		}
		defer file.Close() // opened for reading only
		in = file
	}
	code, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, ui.UsageError("", "reading the code: %w", err)
	}
	return one(strings.TrimSuffix(string(code), "\n")), args, nil
}

// record is the JSON record of a command.
type record struct {
	Output string `json:"output"`
	// Dropped is the number of bytes missing in Output, from the byte DroppedAt on.
	Dropped   int64         `json:"dropped,omitempty"`
	DroppedAt int64         `json:"dropped_at,omitempty"`
	State     console.State `json:"state"`
	// Stopped is the stopped process of the program, in the state "stopped".
	Stopped *console.StoppedProcess `json:"stopped,omitempty"`
	*console.Command
}

// runOne waits for a command, prints its result and reports whether another one can follow.
func runOne(a *ui.App, asJSON bool, wait func(io.Writer) (console.WaitResult, error)) (goesOn bool, err error) {
	var held bytes.Buffer
	shown := &outputWriter{Writer: a.Raw.Out, a: a}
	var out io.Writer = shown
	if asJSON {
		out = &held
	}
	answer, err := wait(out)
	if err != nil {
		return false, explain(err)
	}
	if asJSON {
		out := json.NewEncoder(a.Out)
		out.SetEscapeHTML(false)
		own := answer.CommandStatus()
		if err := out.Encode(record{held.String(), answer.Dropped, answer.DroppedAt, own.State, own.Stopped, answer.Command}); err != nil {
			return false, err
		}
	}
	return conclude(a, answer, shown.noted)
}

// conclude reports how a wait ended. Gaps in the output may have been noted where they are.
func conclude(a *ui.App, answer console.WaitResult, noted bool) (goesOn bool, err error) {
	c, name := answer.Command, answer.Status.Name
	switch answer.Reason {
	case "time":
		return false, ui.FailWith(ui.ExitTimeout, errors.New("the command is still running"), "to wait again: ripple console wait "+name+"; to interrupt it: ripple console send "+name+" --key C-c")
	case "waiting":
		what, hint := "the command waits for input", "to answer it: ripple console send "+name+" 'TEXT' --key enter"
		switch answer.Status.State {
		case console.WaitingSecret:
			what, hint = "the command waits for a secret", "to type it without echo: ripple console send "+name+" --secret"
		case console.Stopped:
			what = stopped(answer.Status)
			hint = killHint(name)
		case console.Fullscreen:
			what, hint = "the command draws on the whole screen", "to see it: ripple console peek "+name+"; to type a key, such as q: ripple console send "+name+" --key q"
		}
		if a := answer.Status.Agent; a != nil {
			what, hint = asks(answer.Status)
		}
		return false, ui.FailWith(ui.ExitTimeout, errors.New(what), hint)
	case "exited":
		if code := answer.Status.ExitCode; code != nil && *code == 0 {
			return false, &ui.ExitError{Code: 0}
		} else if code != nil {
			return false, ui.FailWith(*code, fmt.Errorf("%s: %s", name, answer.Status.Exit), "no more code can run there; to remove the console: ripple console close "+name)
		}
		return false, ui.FailWith(ui.ExitFailed, errors.New(answer.Status.Exit), "")
	}
	if g := answer.Status.Agent; g != nil && (c == nil || c.Bytes == 0) {
		a.Note("nothing new is on the agent's screen; %s\n%s", does(g), ui.Indent("to see the screen: ripple console peek "+name))
	}
	if c == nil { // a typed prompt is not a command
		return true, nil
	}
	succeeded := c.ExitCode == nil || *c.ExitCode == 0
	if c.Lost > 0 && !succeeded {
		a.Note("%v", lost(*c))
	}
	if c.Fault != "" {
		a.Note("%s", c.Fault)
	}
	if c.PromptElsewhere {
		a.Note("the exit code is unknown: the program's prompt is not on the terminal, because its output or its errors are redirected")
	}
	switch {
	case c.Lost > 0 && succeeded:
		return false, ui.FailWith(ui.ExitFailed, lost(*c), "")
	case answer.Dropped > 0 && succeeded && noted:
		return false, ui.ExitWith(ui.ExitFailed)
	case answer.Dropped > 0 && succeeded:
		return false, ui.FailWith(ui.ExitFailed, dropped(console.Gap{At: answer.DroppedAt, Bytes: answer.Dropped}), "")
	case c.Failure != "":
		return c.CompletedBy != "" || c.Incomplete, ui.FailWith(ui.ExitFailed, errors.New(c.Failure), "")
	case c.ExitCode != nil:
		return true, ui.ExitWith(*c.ExitCode)
	case c.Error:
		return true, ui.ExitWith(ui.ExitFailed)
	}
	return true, nil
}

// lost says how much output of a command could not be stored, and why.
func lost(c console.Command) error {
	return fmt.Errorf("%d bytes of its output were lost: %s", c.Lost, c.LostReason)
}

// stopped says which process of a console's program is stopped, and what continues it.
func stopped(s console.Status) string {
	return fmt.Sprintf("the program is stopped (%v); to continue it: kill -CONT %d", s.Stopped, s.Stopped.PID)
}

func killHint(console string) string {
	return "to end the console: ripple console close --kill " + console
}

// dropped describes output that is lost.
func dropped(g console.Gap) error {
	return fmt.Errorf("%d bytes of the command's output, from byte %d on, were dropped before they were read: it printed faster than they could be passed on", g.Bytes, g.At)
}

// outputWriter writes output, and reports its gaps on standard error.
type outputWriter struct {
	io.Writer
	a     *ui.App
	noted bool
}

// NoteGap reports missing output.
func (w *outputWriter) NoteGap(g console.Gap) {
	w.noted = true
	w.a.Note("%v", dropped(g))
}

// does describes the state of a coding agent.
func does(a *console.Agent) string {
	switch a.State {
	case "ready":
		return "it is ready for a prompt"
	case "":
		return "it shows something unknown to its adapter"
	}
	return "its state is " + a.State
}

// asks describes what a coding agent waits for, and how to answer.
func asks(s console.Status) (what, hint string) {
	a, name := s.Agent, s.Name
	what = "the agent waits for a user (" + a.State + ")"
	if a.State == "" {
		what = "the agent shows something unknown to its adapter"
	}
	if a.Question != "" {
		what += ": " + ui.Harmless(a.Question)
	}
	hint = "to see it: ripple console peek " + name + "; to answer: ripple console attach " + name
	if len(a.Answers) > 0 {
		hint = "to answer: ripple console send " + name + " --answer " + strings.Join(a.Answers, "|") + "; then, to wait: ripple console wait " + name
		if !s.Command.Running() {
			hint += " --for input"
		}
	}
	return what, hint
}
