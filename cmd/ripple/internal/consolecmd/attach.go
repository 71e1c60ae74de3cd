package consolecmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/seat"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/console"
)

// The rules of what a person sees: the console, and nothing of ours, from the moment on
// at which it is attached; then a line that says why it is over. However it is over, the
// terminal is as it was.

// attachFlags are the flags of `ripple console attach`.
type attachFlags struct {
	readOnly bool
	keys     string
}

// detachSetting is the environment's word for --detach-keys.
const detachSetting = "RIPPLE_DETACH_KEYS"

func newAttach(a *ui.App) *cobra.Command {
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach [CONSOLE]",
		Short: "Put a console on your terminal",
		Long: `Put a console on this terminal: what it shows, with the end of what scrolled off, and from
then on everything that its program prints. What you type goes to the program. Ctrl-\ Ctrl-D
detaches; the console lives on.

A line that you type at the prompt is a command like any other: list and read have it. While
you type, nobody else's command is sent. What you type while somebody's command runs is held until
the program reads, and the title says so; Ctrl-C passes.

The console has the size of the terminal in which somebody typed last, and is never smaller than
20 by 5. It exits with the program's code when that ends, with 0 when you detach or somebody closes it.`,
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
				return ui.UsageError("ripple console peek shows the screen, ripple console send types", "attach needs a terminal for its input and its output")
			}
			c, err := find(a, args)
			if err != nil {
				return err
			}
			defer c.Close()
			return attach(a, cmd.Context(), c, &seat.Seat{In: in, Out: out, Detacher: detacher}, f.readOnly)
		},
	}
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "only look: nothing that is typed goes to the program")
	cmd.Flags().StringVar(&f.keys, "detach-keys", "", "the keys that detach, as control keys with blanks between (default: $"+detachSetting+`, or "C-\ C-d")`)
	return cmd
}

func attach(a *ui.App, ctx context.Context, c *console.Client, s *seat.Seat, readOnly bool) error {
	cols, rows, err := s.Size()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	on, err := c.Attach(ctx, console.AttachRequest{Cols: cols, Rows: rows, ReadOnly: readOnly})
	if err != nil {
		return explain(err)
	}
	defer on.Close()
	if err := s.Take(rows); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	defer s.GiveBack()
	go s.Guard(func() { follow(s, on, cancel) })
	go s.Guard(func() { s.Resizes(ctx, on) })
	go s.Guard(func() { s.Types(ctx, on, cancel) })
	<-ctx.Done()
	s.GiveBack()
	return farewell(a, c.Name, context.Cause(ctx))
}

// farewell says why it is over.
func farewell(a *ui.App, name string, why error) error {
	var end *endedError
	switch {
	case errors.Is(why, seat.ErrDetached):
		a.Note("detached from %s", name)
		return nil
	case errors.As(why, &end) && end.answer.Why == "closed":
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

// endedError is the end of the console's program.
type endedError struct{ answer *console.Answer }

func (e *endedError) Error() string { return e.answer.Status.Exit }

// follow shows what the console shows.
func follow(s *seat.Seat, on *console.Attachment, done context.CancelCauseFunc) {
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
			s.Write([]byte(title(h.Notice)))
		default:
			s.Write(h.Output)
		}
	}
}

// title shows a notice where it disturbs nobody.
func title(n *console.Notice) string {
	text := ui.Harmless(n.Title)
	if n.Held > 0 {
		does := "runs"
		if n.For == console.AnotherPerson {
			does = "types"
		}
		text = fmt.Sprintf("[%s held: %s %s] %s", ui.Count(n.Held, "key"), n.For, does, text)
	}
	return "\x1b]2;" + text + "\x1b\\"
}
