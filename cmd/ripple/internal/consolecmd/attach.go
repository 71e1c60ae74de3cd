package consolecmd

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// While attached, the user sees the console and no messages of ripple; then a line reports the
// reason for the end. In any case, the terminal is restored.

// attachFlags are the flags of `ripple console attach`.
type attachFlags struct {
	readOnly bool
	raw      bool
	keys     string
}

// detachSetting is the environment variable for the default of --detach-keys.
const detachSetting = "RIPPLE_DETACH_KEYS"

func newAttach(a *ui.App) *cobra.Command {
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach [CONSOLE]",
		Short: "Attach your terminal to a console",
		Long: `Attach this terminal to a console: it shows the console's screen, with the end of the
scrollback, and then all output of its program. Your input goes to the program.
Ctrl-\ Ctrl-D detaches, and the console keeps running. --detach-keys or the variable
RIPPLE_DETACH_KEYS sets other keys: control keys, separated by blanks.

A line that you type at the prompt is a command like any other: list and read show it. While
you type, no other client's command is sent. Keys typed while another client's command runs are
held until the program reads, and the terminal's title says so; Ctrl-C is passed on.

Your line is edited with the keys of Emacs, as in bash, and goes to the program when you press
Enter; Tab completes words of earlier lines and of the screen, and file names. --raw disables
editing: each key goes to the program.

The console has the size of the terminal that was used last, and is never smaller than 20 by 5.
attach exits with the program's exit code, or with 0 when you detach or the console is closed.`,
		Example:           "  ripple console attach work\n  ripple console attach --read-only\n  ripple console attach --detach-keys 'C-a C-d'",
		Args:              atMost(1),
		ValidArgsFunction: completeNames(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.keys == "" {
				f.keys = a.Getenv(detachSetting)
			}
			if f.keys == "" {
				f.keys = `C-\ C-d`
			}
			detacher, err := console.NewDetacher(f.keys)
			if err != nil {
				return ui.UsageError("", "--detach-keys: %w", err)
			}
			in, inOK := a.In.(*os.File)
			out, outOK := a.Stdout.(*os.File)
			if !inOK || !outOK || !ui.IsTerminal(in) || !ui.IsTerminal(out) {
				name := strings.Join(append([]string{""}, args...), " ") // " NAME", or none
				return ui.UsageError("to see the screen: ripple console peek"+name+"; to type: ripple console send"+name, "attach needs a terminal for its input and its output")
			}
			c, err := find(a, args)
			if err != nil {
				return err
			}
			defer c.Close()
			return attach(a, cmd.Context(), c, &attached.Terminal{In: in, Out: out, Detacher: detacher}, f)
		},
	}
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "only watch: no input goes to the program")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "disable line editing: all keys go to the program")
	cmd.Flags().StringVar(&f.keys, "detach-keys", "", "keys that detach (default: those of $"+detachSetting+")")
	return cmd
}

func attach(a *ui.App, ctx context.Context, c *console.Client, s *attached.Terminal, f attachFlags) error {
	cols, rows, err := s.Size()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := console.CheckNesting(ctx, a.Getenv, c.Name); err != nil {
		return ui.FailWith(ui.ExitUsage, err, "if that is wrong: unset RIPPLE_CONSOLE")
	}
	edits := !f.readOnly && !f.raw && a.Getenv("TERM") != "dumb"
	on, err := c.Attach(ctx, console.AttachRequest{Cols: cols, Rows: rows, ReadOnly: f.readOnly, EditsLines: edits, Enclosing: console.Enclosing(a.Getenv)})
	if err != nil {
		return explain(err)
	}
	defer on.Close()
	if err := s.Attach(rows); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	defer s.Restore()
	var screen attached.Screen = on
	show, prompted, fault := s.Write, func(*console.Prompt) {}, func() string { return "" }
	if edits {
		e := console.NewLineEditor(on, console.LineEditorOptions{Cols: cols, Rows: rows, Write: s.Write, Getenv: a.Getenv})
		screen, show, prompted, fault = e, e.Show, e.SetPrompt, e.Fault
	}
	bar := &title{name: c.Name, write: s.Write}
	go s.Guard(func() { follow(on, bar.notify, show, prompted, cancel) })
	go s.Guard(func() { bar.watch(ctx, c) })
	go s.Guard(func() { s.ForwardSizes(ctx, screen) })
	go s.Guard(func() { s.ForwardKeys(ctx, screen, cancel) })
	<-ctx.Done()
	s.Restore()
	if notice := fault(); notice != "" {
		a.Note("%s", notice)
	}
	why := context.Cause(ctx)
	if errors.Is(why, attached.ErrDetached) && bar.holds() {
		a.Note("dropped: what you typed while the console did not take it")
	}
	return reportEnd(a, c.Name, why)
}

// reportEnd prints the reason for the end and returns the command's error.
func reportEnd(a *ui.App, name string, why error) error {
	var end *endedError
	switch {
	case errors.Is(why, attached.ErrDetached):
		a.Note("detached from %s", name)
		return nil
	case errors.As(why, &end) && end.answer.Reason == "closed":
		a.Note("%s was closed", name)
		return nil
	case errors.As(why, &end):
		a.Note("%s: %s", name, end.answer.Status.Exit)
	case errors.Is(why, context.Canceled), ui.BySignal(why):
		return ui.ExitWith(ui.ExitInterrupted)
	default:
		return explain(why)
	}
	if code := end.answer.Status.ExitCode; code != nil {
		return ui.ExitWith(*code)
	}
	return ui.ExitWith(ui.ExitFailed)
}

// endedError reports the end of the console's program.
type endedError struct{ answer *console.WaitResult }

func (e *endedError) Error() string { return e.answer.Status.Exit }

// follow handles the console's events until the attachment ends.
func follow(on *console.Attachment, noticed func(*console.Notice), show func([]byte), prompted func(*console.Prompt), done context.CancelCauseFunc) {
	for {
		h, err := on.Next()
		switch {
		case err != nil:
			done(err)
			return
		case h.End != nil:
			done(&endedError{h.End})
			return
		case h.Notice != nil:
			noticed(h.Notice)
		case h.Prompt != nil:
			prompted(h.Prompt)
		default:
			show(h.Output)
		}
	}
}
