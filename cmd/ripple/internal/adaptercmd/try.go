package adaptercmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// leaveKeys end a try; the program gets all other keys.
const leaveKeys, leaveNames = `C-\ C-d`, `Ctrl-\ Ctrl-D`

// tryFlags are the flags of commands that show a program's prompt to a user.
type tryFlags struct {
	timeout time.Duration
	session session.Options
}

func (f *tryFlags) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "maximum wait for the first prompt, and for each piped line")
	cmd.Flags().StringVar(&f.session.Executable, "executable", "", "program to start instead of the adapter's")
	cmd.Flags().StringVar(&f.session.Dir, "cwd", "", "working directory of the program")
}

func newAdapterTry(a *app) *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:   "try {FILE | NAME}",
		Short: "Use a program's prompt and see how ripple interprets its output",
		Long: `Start the program of an adapter, type at its prompt, and see how ripple interprets what the
program prints. Nothing is written: this is for writing an adapter, next to your editor.

Each row of the screen has a label: banner (printed before the first prompt), prompt, echo (of
what you typed), output, continuation (the prompt inside an incomplete command), out-of-band
(printed between commands), or a marker that the program sent. The line at the bottom names the
rule of the adapter that ended the last command or, while no prompt is recognized, the patterns
that were tried. When the file changes, the program is restarted with the new version. To end:
` + leaveNames + `, or end the program. An adapter of this project that changes ends it, too,
because the new version needs approval; an adapter named by its path needs none.

If standard input or output is not a terminal, each line of the input is sent as a command. The
same labels are printed, one per line, each with its text in quotes and with escape sequences
visible, followed by the result of the command.

The exit code is 0 when the input or the program ends, 2 if the adapter is not valid, 3 if its
program is not installed, and 4 if there is no prompt within --timeout.`,
		Example:           "  ripple adapter try my.yaml\n  printf '6 * 7\\nnull.x\\n' | ripple adapter try my.yaml",
		Args:              oneAdapter,
		ValidArgsFunction: ui.CompleteAdapter(a.App),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withTerminal(a, func(ctx context.Context, s *attached.Terminal) error {
				e, err := a.Adapter(args[0])
				e, err = tried(e, err, s != nil)
				switch {
				case err != nil:
					return err
				case s == nil:
					return tryLines(a, ctx, e, f, nil)
				}
				return newBench(a, s, args[0], e, f, nil).run(ctx)
			}, cmd.Context())
		},
	}
	f.add(cmd)
	return cmd
}

// withTerminal runs a function with the user's terminal, which is restored in any case. If standard input
// or output is not a terminal, the terminal is nil.
func withTerminal(a *app, run func(context.Context, *attached.Terminal) error, ctx context.Context) error {
	if a.Interactive() && !proctree.IsInner() {
		defer attached.Supervise(a.Stdout.(*os.File))() // Interactive has checked the type
	}
	return a.Guarded(func() error {
		ctx, _, stop := ui.UntilSignal(ctx, true)
		defer stop()
		if !a.Interactive() {
			return run(ctx, nil)
		}
		return run(ctx, &attached.Terminal{In: a.In.(*os.File), Out: a.Stdout.(*os.File)})
	})
}

// tried returns the adapter to try, given the result of looking it up. If mendable, a file that cannot be
// read yet may be fixed while the bench is running.
func tried(e *registry.Entry, err error, mendable bool) (*registry.Entry, error) {
	if broken, is := ui.AsBroken(err); is && mendable && isFile(broken.Path) {
		return &registry.Entry{Path: broken.Path, Origin: registry.OriginFile}, nil
	} else if err != nil {
		return nil, err
	}
	if e.Adapter.Family == schema.FamilyAgent {
		return nil, ui.UsageError("to see its own screen: ripple agent run --screen", "%s is a coding agent: it has no prompt to try", e.Name)
	}
	return e, nil
}

// notStarted returns the error of a session that did not start.
func notStarted(err error) error {
	start, isStart := errors.AsType[*session.StartError](err)
	missing, isMissing := errors.AsType[*launch.MissingError](err)
	_, isDir := errors.AsType[*launch.DirError](err)
	switch {
	case isMissing:
		return ui.FailWith(ui.ExitMissing, missing, "")
	case isDir:
		return ui.FailWith(ui.ExitUsage, err, "")
	case isStart && start.MissingService != "":
		return ui.FailWith(ui.ExitMissing, err, "")
	case errors.Is(err, context.DeadlineExceeded):
		return ui.FailWith(ui.ExitTimeout, err, "to give it more time: --timeout DURATION")
	case errors.Is(err, context.Canceled):
		return ui.ExitWith(ui.ExitInterrupted)
	}
	return ui.FailWith(ui.ExitFailed, err, "")
}

// prompts describes the patterns with which a line is compared to find a prompt, by key.
func prompts(a *schema.Adapter) string {
	var all []string
	add := func(key, pattern string) {
		if pattern != "" {
			all = append(all, fmt.Sprintf("%s %q", key, pattern))
		}
	}
	switch a.Prompt.Strategy {
	case schema.PromptShellIntegration:
		all = append(all, "the marker of a prompt (OSC 133 or 633; A)")
	case schema.PromptMarker:
		if a.Init.Marker != nil {
			add("init.marker.primary", a.Init.Marker.Primary)
			add("init.marker.continuation", a.Init.Marker.Continuation)
		}
	default:
		add("prompt.primary", a.Prompt.Primary)
	}
	add("prompt.continuation", a.Prompt.Continuation)
	add("ready.pattern", a.Ready.Pattern)
	for _, m := range a.Modes {
		add("modes: "+m.Name, m.Primary)
	}
	return strings.Join(all, ", ")
}
