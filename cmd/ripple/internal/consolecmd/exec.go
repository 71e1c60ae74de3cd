package consolecmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/console"
)

// execFlags are the flags of `ripple console exec`.
type execFlags struct {
	file    string
	lines   bool
	json    bool
	timeout time.Duration
	expect  string
}

func newExec(a *ui.App) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [CONSOLE] [--] CODE | - | -f FILE | --lines",
		Short: "Run a command in a console",
		Long: `Run a command in a console and print what it prints, as it comes. The exit code is the
command's, where the program reports one.

CODE is one argument, of one line or several; "-" reads it from standard input. With
--lines every line of standard input is a command of its own.

The wait ends, and the command goes on, when --timeout is over, when Ctrl-C is typed, and
when the command waits for input: "ripple console send" answers it, "ripple console wait" waits
on, and until then no other command is run. Ctrl-C does not reach the command: that does
"ripple console send --key C-c".`,
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
				return ui.UsageError("put the code in quotes: it is one argument", "%s", "too many arguments")
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
	flags.BoolVar(&f.json, "json", false, "print a JSON record for each command, a line each")
	flags.DurationVar(&f.timeout, "timeout", 0, "longest wait for one command (0: no limit)")
	flags.StringVar(&f.expect, "expect-cwd", "", "refuse to run it unless the program is in this `DIRECTORY`")
	cmd.MarkFlagsMutuallyExclusive("file", "lines")
	return cmd
}

func execute(a *ui.App, ctx context.Context, args []string, f execFlags) error {
	next, args, err := source(a, args, f)
	if err != nil {
		return err
	}
	c, err := find(a, args)
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
		q := console.ExecRequest{Code: code, By: "exec", Wait: f.timeout, ExpectCwd: f.expect}
		var goesOn bool
		if goesOn, end = runOne(a, f.json, func(out io.Writer) (console.Answer, error) { return c.Exec(ctx, q, out) }); !goesOn {
			return end
		}
	}
}

// source is where the commands come from, and the arguments that name a console.
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
		defer file.Close() // only read from: nothing to lose
		in = file
	}
	code, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, ui.UsageError("", "reading the code: %w", err)
	}
	return one(strings.TrimSuffix(string(code), "\n")), args, nil
}

// record is what --json prints of a command.
type record struct {
	Output string        `json:"output"`
	State  console.State `json:"state"`
	*console.Command
}

// runOne carries out a wait for a command and says whether another one can follow.
func runOne(a *ui.App, asJSON bool, wait func(io.Writer) (console.Answer, error)) (goesOn bool, err error) {
	var held bytes.Buffer
	var out io.Writer = a.Out
	if asJSON {
		out = &held
	}
	answer, err := wait(out)
	if err != nil {
		return false, explain(err)
	}
	if asJSON {
		if err := a.PrintJSON(record{held.String(), answer.Status.State, answer.Command}); err != nil {
			return false, err
		}
	}
	return conclude(a, answer)
}

// conclude says how a wait ended.
func conclude(a *ui.App, answer console.Answer) (goesOn bool, err error) {
	c, name := answer.Command, answer.Status.Name
	switch answer.Why {
	case "time":
		return false, ui.FailWith(ui.ExitTimeout, errors.New("the command is still running"), "ripple console wait "+name+" waits on; ripple console send "+name+" --key C-c interrupts it")
	case "waiting":
		what, hint := "the command waits for input", "ripple console send "+name+" 'TEXT' --key enter answers it"
		switch answer.Status.State {
		case console.WaitingSecret:
			what, hint = "the command waits for a secret", "ripple console send "+name+" --secret reads it from the terminal"
		case console.Fullscreen:
			what, hint = "the command draws on the whole screen", "ripple console peek "+name+" shows it; ripple console send "+name+" --key q types a key"
		}
		if a := answer.Status.Agent; a != nil {
			what, hint = asks(answer.Status)
		}
		return false, ui.FailWith(ui.ExitTimeout, errors.New(what), hint)
	case "exited":
		if answer.Status.ExitCode != nil {
			return false, &ui.ExitError{Code: *answer.Status.ExitCode}
		}
		return false, ui.FailWith(ui.ExitFailed, errors.New(answer.Status.Exit), "")
	}
	if g := answer.Status.Agent; g != nil && (c == nil || c.Bytes == 0) {
		a.Note("nothing new is on the agent's screen; %s\n%s", does(g), ui.Indent("ripple console peek "+name+" shows the screen"))
	}
	if c == nil { // a prompt that was typed is none
		return true, nil
	}
	if answer.Dropped > 0 {
		a.Note("the first %d bytes of its output are no longer kept", answer.Dropped)
	}
	if c.Lost > 0 {
		a.Note("%d bytes of its output are lost: %s", c.Lost, c.LostWhy)
	}
	if c.PromptElsewhere {
		a.Note("the program waits for the next command, but its prompt goes elsewhere, as its output or its errors do: the exit code is not known")
	}
	switch {
	case c.Failure != "":
		return true, ui.FailWith(ui.ExitFailed, errors.New(c.Failure), "")
	case c.ExitCode != nil:
		return true, ui.ExitWith(*c.ExitCode)
	case c.Error:
		return true, ui.ExitWith(ui.ExitFailed)
	}
	return true, nil
}

// does says what a coding agent does.
func does(a *console.Agent) string {
	switch a.State {
	case "ready":
		return "it is ready for a prompt"
	case "":
		return "it shows something that its adapter does not know"
	}
	return "its state is " + a.State
}

// asks says what a coding agent waits for, and how to answer.
func asks(s console.Status) (what, hint string) {
	a, name := s.Agent, s.Name
	what = "the agent waits for a person (" + a.State + ")"
	if a.State == "" {
		what = "the agent shows something that its adapter does not know"
	}
	if a.Question != "" {
		what += ": " + ui.Harmless(a.Question)
	}
	hint = "ripple console peek " + name + " shows it, ripple console attach " + name + " lets you answer"
	if len(a.Answers) > 0 {
		hint = "ripple console send " + name + " --answer " + strings.Join(a.Answers, "|") + " answers it, then ripple console wait " + name
		if !s.Command.Running() {
			hint += " --for input"
		}
	}
	return what, hint
}
