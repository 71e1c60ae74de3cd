package adaptercmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/seat"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/launch"
	"ripple/runtime/proctree"
	"ripple/runtime/registry"
	"ripple/runtime/session"
	"ripple/schema"
)

// leaveKeys end a try; the program gets all others.
const leaveKeys, leaveNames = `C-\ C-d`, `Ctrl-\ Ctrl-D`

// tryFlags are those of commands in which somebody sits at a program's prompt.
type tryFlags struct {
	timeout time.Duration
	session session.Options
}

func (f *tryFlags) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "longest time for the first prompt, and for each line of a standard input that is no terminal")
	cmd.Flags().StringVar(&f.session.Executable, "executable", "", "the program instead of the one that the adapter names")
	cmd.Flags().StringVar(&f.session.Dir, "cwd", "", "the directory in which the program starts")
}

func newAdapterTry(a *app) *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:   "try {FILE | NAME}",
		Short: "Sit at a program's prompt and see what ripple takes each part for",
		Long: `Start an adapter's program and sit at its own prompt. Beside each row stands what a session
takes it for: banner, prompt, echo, output, continuation, out-of-band, and the markers that
came; below stands which rule ended the last wait. While the program waits for input and no
prompt is recognised, the patterns that were tried stand there.

When the file changes the program is started anew with what it says now. ` + leaveNames + ` ends
it; so does the end of the program.

Where standard input or output is no terminal, each line of the input is a command, sent as
"ripple exec --lines" sends it, and the parts of what came back are printed a line each, as
they were read: quoted, with all escape sequences.`,
		Example:           "  ripple adapter try my.yaml\n  printf '6 * 7\\nnull.x\\n' | ripple adapter try my.yaml",
		Args:              oneAdapter,
		ValidArgsFunction: ui.CompleteAdapter(a.App),
		RunE: func(cmd *cobra.Command, args []string) error {
			return seated(a, func(ctx context.Context, s *seat.Seat) error {
				e, err := tried(a, args[0], s != nil)
				switch {
				case err != nil:
					return err
				case s == nil:
					return tryLines(a, ctx, e, f, nil)
				}
				return newBench(a, s, e, f, nil).run(ctx)
			}, cmd.Context())
		},
	}
	f.add(cmd)
	return cmd
}

// seated runs what a person sits at, if one does, so that the terminal is given back
// whatever becomes of us. Without a person the seat is nil.
func seated(a *app, run func(context.Context, *seat.Seat) error, ctx context.Context) error {
	if a.Interactive() && !proctree.Inner() {
		defer seat.Watch(a.Stdout.(*os.File))() // Interactive has seen it
	}
	return a.Guarded(func() error {
		ctx, _, stop := ui.UntilSignal(ctx, true)
		defer stop()
		if !a.Interactive() {
			return run(ctx, nil)
		}
		return run(ctx, &seat.Seat{In: a.In.(*os.File), Out: a.Stdout.(*os.File)})
	})
}

// tried is the adapter to be tried. A file that cannot be read yet may be mended while
// somebody sits there.
func tried(a *app, name string, mendable bool) (*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	e, err := r.Find(name)
	if broken, is := ui.AsBroken(err); is && mendable && isFile(broken.Path) {
		return &registry.Entry{Path: broken.Path, Origin: registry.OriginFile}, nil
	} else if err != nil {
		return nil, ui.AdapterError(err)
	}
	if e.Adapter.Family == schema.FamilyAgent {
		return nil, ui.UsageError("ripple agent run --screen shows its own screen", "%s is a coding agent: it has no prompt that is tried so", e.Name)
	}
	return e, nil
}

// notStarted says why there is no session.
func notStarted(err error) error {
	start, isStart := errors.AsType[*session.StartError](err)
	missing, isMissing := errors.AsType[*launch.MissingError](err)
	switch {
	case isMissing:
		return ui.FailWith(ui.ExitMissing, missing, "")
	case isStart && start.Needs != "":
		return ui.FailWith(ui.ExitMissing, err, "")
	case errors.Is(err, context.DeadlineExceeded):
		return ui.FailWith(ui.ExitTimeout, err, "give it more time with --timeout")
	case errors.Is(err, context.Canceled):
		return ui.ExitWith(ui.ExitInterrupted)
	}
	return ui.FailWith(ui.ExitFailed, err, "")
}

// prompts are what a program's line is compared with to find a prompt, by key.
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
