package consolecmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

func newWait(a *ui.App) *cobra.Command {
	var q console.WaitRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "wait [CONSOLE]",
		Short: "Wait for a command in a console",
		Long: `Wait until the command of a console ends, print its output from the beginning, and exit
with its code, like exec. It also returns when the command waits for input.

--for input waits until the program reads the terminal, in a command or at its prompt; --for text
until --text is on the screen; --for idle until nothing has been printed for two seconds.`,
		Args:              atMost(1),
		ValidArgsFunction: completeNames(a),
		RunE: onConsole(a, func(ctx context.Context, c *console.Client) error {
			if q.For == "text" && q.Text == "" {
				return ui.UsageError("", "--for text needs --text")
			}
			ctx, _, stop := ui.UntilSignal(ctx, true)
			defer stop()
			if q.For == "done" {
				_, err := runOne(a, asJSON, func(out io.Writer) (console.WaitResult, error) { return c.Wait(ctx, q, out) })
				return err
			}
			answer, err := c.Wait(ctx, q, nil)
			switch {
			case err != nil:
				return explain(err)
			case asJSON:
				return a.PrintJSON(answer)
			case answer.Reason == "time":
				return ui.FailWith(ui.ExitTimeout, errors.New("the wait timed out"), "")
			case answer.Reason == "exited":
				return ui.FailWith(ui.ExitFailed, errors.New(answer.Status.Exit), "")
			case answer.Status.Stopped != nil && q.For == "input":
				return ui.FailWith(ui.ExitTimeout, errors.New(stopped(answer.Status)), killHint(answer.Status.Name))
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&q.For, "for", "done", "event to wait for: done, input, text or idle")
	ui.Choices(cmd, "for", "done", "input", "text", "idle")
	flags.StringVar(&q.Text, "text", "", "the text to wait for")
	flags.IntVar(&q.Command, "command", 0, "the number of the command (default: the latest)")
	flags.DurationVar(&q.Wait, "timeout", 0, "maximum wait (0: no limit)")
	flags.Int64Var(&q.From, "from", 0, "print its output from this `BYTE` on")
	flags.BoolVar(&q.KeepWaiting, "stay", false, "keep waiting when the command waits for input")
	flags.BoolVar(&asJSON, "json", false, "print a JSON record")
	return cmd
}

// atMost returns a check that refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return ui.UsageError(ui.SeeHelp(cmd), "%s takes at most %s, not %d", cmd.CommandPath(), ui.Count(n, "argument"), len(args))
		}
		return nil
	}
}

func newSend(a *ui.App) *cobra.Command {
	var q console.SendRequest
	var secret, only, force, asJSON bool
	cmd := &cobra.Command{
		Use:   "send [CONSOLE] [TEXT]",
		Short: "Type into the command that runs in a console",
		Long: `Type text, then keys, into the command that runs in a console. To send a line, add
--key enter. TEXT is typed unchanged. With one argument and --key or --secret, the argument
names the console.

On Linux, input for a command that neither waits for input nor draws on the whole screen is
refused, except C-c, C-z and C-\. Of several lines each one after the first is typed when the
command reads again; if it does not within a second, the rest is not typed, which a message
and the exit code 1 report. --only-if-waiting asks for this on other systems, --force turns it
off: what the command leaves unread then goes to the program's next command.

Keys are enter, tab, esc, up, down, left, right, home, end, pgup, pgdn, insert, delete, backspace,
space, f1 to f12, backtab and single characters. The prefixes C- or ctrl+, M- or alt+, and S- or
shift+ stand for modifier keys: C-c, M-x, S-tab, C-S-left. --secret reads a line from the terminal without
echo and types it; a prompt for a secret refuses other input.`,
		Example: `  ripple console send work yes --key enter
  ripple console send work --key C-c`,
		Args:              atMost(2),
		ValidArgsFunction: completeNames(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			keysOnly := secret || q.Answer != "" || len(q.Keys) > 0
			switch {
			case len(args) == 2, len(args) == 1 && !keysOnly:
				q.Text = args[len(args)-1]
				args = args[:len(args)-1]
			case !keysOnly:
				return ui.UsageError(ui.SeeHelp(cmd), "nothing to type")
			}
			c, err := find(a, args)
			if err != nil {
				return err
			}
			defer c.Close()
			if secret {
				if q.Text, err = readSecret(a); err != nil {
					return err
				}
				q.Secret, q.Keys = true, append(q.Keys, "enter")
			}
			q.By = "send"
			q.OnlyIfWaiting = only || !force && runtime.GOOS == "linux" // other systems do not report whether a command reads
			status, err := c.Send(cmd.Context(), q)
			if err = afterwards(a, asJSON, status, err); err == nil && status.Untyped > 0 {
				return ui.FailWith(ui.ExitFailed, errors.New(status.Notice), "")
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&q.Keys, "key", nil, "key to type after the text; repeatable")
	ui.Choices(cmd, "key", console.KeyNames()...)
	flags.StringVar(&q.Answer, "answer", "", "answer a coding agent's question with an answer `NAME` that exec printed")
	flags.BoolVar(&only, "only-if-waiting", false, "type only if the command waits for input or draws a screen")
	flags.BoolVar(&force, "force", false, "type even if the command does not read")
	cmd.MarkFlagsMutuallyExclusive("force", "only-if-waiting")
	flags.BoolVar(&secret, "secret", false, "read a line from your terminal without echo, and send it with Enter")
	flags.BoolVar(&asJSON, "json", false, "print the console's status as JSON")
	return cmd
}

// afterwards finishes a command that changed a console: it prints nothing except, with --json, the
// console's status.
func afterwards(a *ui.App, asJSON bool, status console.Status, err error) error {
	if err != nil || !asJSON {
		return explain(err)
	}
	return a.PrintJSON(status)
}

// readSecret reads a line without echo.
func readSecret(a *ui.App) (string, error) {
	file, ok := a.In.(*os.File)
	if !ok || !ui.IsTerminal(file) {
		line, err := bufio.NewReader(a.In).ReadString('\n')
		if err != nil && line == "" {
			return "", ui.UsageError("", "no secret on standard input: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	fmt.Fprint(a.Err, "secret: ")
	b, err := term.ReadPassword(int(file.Fd()))
	fmt.Fprintln(a.Err)
	if err != nil {
		return "", ui.FailWith(ui.ExitFailed, err, "")
	}
	return string(b), nil
}

func newResize(a *ui.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "resize [CONSOLE] COLS ROWS",
		Short:             "Change the size of a console's terminal",
		ValidArgsFunction: completeNames(a),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return ui.UsageError(ui.SeeHelp(cmd), "give the size as COLS ROWS, like 120 40")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n := len(args) - 2
			cols, err := strconv.Atoi(args[n])
			rows, err2 := strconv.Atoi(args[n+1])
			if errors.Join(err, err2) != nil {
				return ui.UsageError(ui.SeeHelp(cmd), "give the size as COLS ROWS, like 120 40: %q is not two numbers", args[n]+" "+args[n+1])
			}
			c, err := find(a, args[:n])
			if err != nil {
				return err
			}
			defer c.Close()
			status, err := c.Resize(cmd.Context(), cols, rows)
			return afterwards(a, asJSON, status, err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the console's status as JSON")
	return cmd
}

// closeFlags are the flags of `ripple console close`.
type closeFlags struct{ kill, all, json bool }

func newClose(a *ui.App) *cobra.Command {
	var f closeFlags
	cmd := &cobra.Command{
		Use:   "close [CONSOLE]",
		Short: "End a console, its program, and all processes that the program started",
		Long: `Ask the program of a console to end, then send it a signal, then kill it, with all processes
that it started. With --kill it is not asked first. The output of the console is removed.

CONSOLE may be omitted if there is only one. The exit code is 1 if a process cannot be ended,
and 2 if there is no such console.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.all && len(args) > 0 {
				return ui.UsageError("", "give either a console or --all")
			}
			return atMost(1)(cmd, args)
		},
		ValidArgsFunction: completeNames(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			closed, err := f.end(a, cmd.Context(), args)
			if !f.json {
				return err
			}
			return errors.Join(a.PrintJSON(struct { // including those that ended before the one that failed
				Closed []string `json:"closed"`
			}{closed}), err)
		},
	}
	cmd.Flags().BoolVar(&f.kill, "kill", false, "do not ask the program to end first")
	cmd.Flags().BoolVar(&f.all, "all", false, "all consoles of this user")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the names of the closed consoles as JSON")
	return cmd
}

// end ends the selected consoles and returns the names of those that have ended.
func (f closeFlags) end(a *ui.App, ctx context.Context, args []string) (closed []string, err error) {
	closed = []string{}
	if !f.all {
		c, err := find(a, args)
		if err != nil {
			return closed, err
		}
		return f.endOne(ctx, c, closed)
	}
	list, err := console.List(ctx, a.Getenv)
	if err != nil {
		return closed, explain(err)
	}
	for _, s := range list {
		c, err := console.Open(a.Getenv, s.Name)
		if fault, ok := errors.AsType[*console.Fault](err); ok && fault.Code == console.FaultUnknown {
			continue // it has ended by itself in the meantime
		}
		if err != nil {
			return closed, explain(err)
		}
		if closed, err = f.endOne(ctx, c, closed); err != nil {
			return closed, err
		}
	}
	return closed, nil
}

func (f closeFlags) endOne(ctx context.Context, c *console.Client, closed []string) ([]string, error) {
	defer c.Close()
	if err := c.End(ctx, f.kill); err != nil {
		return closed, explain(err)
	}
	return append(closed, c.Name), nil
}
