package consolecmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// startFlags are the flags of `ripple console start`.
type startFlags struct {
	spec    console.Spec
	reuse   bool
	sandbox bool
	json    bool
}

func newStart(a *ui.App) *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "start [ADAPTER] [-- ARGUMENT...]",
		Short: "Start a console",
		Long: `Start a program in a console of its own and print the console's name. ADAPTER is a name
(see "ripple adapter list") or an adapter file; the default is bash. The arguments are added
to the program's command line.

The command returns when the program is at its first prompt, when it has waited for other input
for five seconds, or after half a minute. In the latter two cases the program continues to start,
and the exit code is 4. To wait for its prompt: ripple console wait --for input`,
		Example: "  ripple console start python --name calc\n  ripple console start gdb -- ./a.out",
		RunE:    func(cmd *cobra.Command, args []string) error { return start(a, cmd, args, f) },
		Args: func(cmd *cobra.Command, args []string) error {
			if n := before(cmd, args); n > 1 {
				return ui.UsageError("put the program's own arguments after --", "start takes one adapter, not %d", n)
			}
			return nil
		},
		ValidArgsFunction: ui.FirstOnly(ui.CompleteAdapter(a)),
	}
	a.Trust.Flag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.spec.Name, "name", "", "the console's name (default: the adapter's, with a number)")
	flags.StringVar(&f.spec.Dir, "cwd", "", "directory to start in")
	flags.StringArrayVar(&f.spec.Env, "env", nil, "set an environment variable, `KEY=VALUE`; repeatable")
	flags.StringVar(&f.spec.Executable, "executable", "", "program to start instead of the adapter's")
	flags.IntVar(&f.spec.Cols, "cols", 0, "width of the terminal in columns (default: the adapter's)")
	flags.IntVar(&f.spec.Rows, "rows", 0, "height of the terminal in rows (default: the adapter's)")
	flags.DurationVar(&f.spec.IdleEnd, "idle-end", 0, "end the console after this time without use (0: never)")
	flags.BoolVar(&f.reuse, "reuse", false, "use a running console of that name, adapter and sandbox")
	flags.BoolVar(&f.sandbox, "sandbox", false, "let the program write only below its directory (Linux)")
	flags.BoolVar(&f.json, "json", false, "print the console's status as JSON")
	return cmd
}

// before returns the number of arguments before "--".
func before(cmd *cobra.Command, args []string) int {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return n
	}
	return len(args)
}

func start(a *ui.App, cmd *cobra.Command, args []string, f startFlags) error {
	n := before(cmd, args)
	f.spec.Adapter, f.spec.Args = console.DefaultAdapter(), args[n:]
	if n > 0 {
		f.spec.Adapter = args[0]
	}
	entry, err := a.Adapter(f.spec.Adapter)
	if err != nil { // checked here for a better message than the host's
		return err
	}
	f.spec.Origin = entry.Source()
	if f.spec.Sealed, err = entry.Encode(); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	for _, kv := range f.spec.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			return ui.UsageError("", "--env %q is not KEY=VALUE", kv)
		}
	}
	for _, flag := range []string{"cols", "rows"} {
		if n, _ := cmd.Flags().GetInt(flag); n == 0 && cmd.Flags().Changed(flag) { // in a spec, 0 is the adapter's size
			return ui.UsageError("", "--%s must not be 0", flag)
		}
	}
	dir, err := filepath.Abs(f.spec.Dir)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	f.spec.Dir = dir
	if f.sandbox {
		f.spec.Sandbox = dir
	}
	host, err := spawnHost()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	ctx, _, stop := ui.UntilSignal(cmd.Context(), true)
	defer stop()
	c, status, err := host.Start(ctx, a.Getenv, f.spec)
	if taken, ok := errors.AsType[*console.Fault](err); ok && taken.Code == console.FaultNameInUse {
		if c, status, err = running(ctx, a, f, n > 0, entry.Name, err); err == nil {
			noteIgnored(a, cmd, status.Name, len(f.spec.Args))
		}
	}
	if err != nil {
		return explain(err)
	}
	shown := ""
	if status.State == console.Starting {
		shown, _, _ = c.Screen(ctx) // without it, the message is only shorter
	}
	c.Close()
	if status.Notice != "" {
		a.Note("%s", status.Notice)
	}
	if f.json {
		return errors.Join(a.PrintJSON(status), notReady(status, shown))
	}
	a.Printf("%s\n", status.Name)
	if status.Sandbox != nil {
		a.Note("%s", status.Sandbox)
	}
	if status.Agent != nil && status.State != console.Idle {
		what, hint := asks(status)
		a.Note("%s\n%s", what, ui.Indent(hint))
	}
	return notReady(status, shown)
}

// notReady returns an error if the program has not reached its first prompt; shown is its screen.
func notReady(s console.Status, shown string) error {
	if s.State != console.Starting {
		return nil
	}
	reason := "the program has not reached its first prompt"
	if shown = strings.TrimSpace(shown); shown != "" {
		reason += fmt.Sprintf("; its last line is %q", shown[strings.LastIndexByte(shown, '\n')+1:])
	}
	return ui.FailWith(ui.ExitTimeout, errors.New(reason),
		startingHint(s.Name))
}

// startingHint says what to do about a console whose program has not reached its first prompt.
func startingHint(name string) string {
	return "to wait for it: ripple console wait --for input " + name + "; to see its screen: ripple console peek " + name + "; to end it: ripple console close " + name
}

// running returns the console that has the name already, if it can be reused, or an error: taken, or
// a better reason.
func running(ctx context.Context, a *ui.App, f startFlags, named bool, adapter string, taken error) (*console.Client, console.Status, error) {
	c, err := console.Find(a.Getenv, f.spec.Name)
	if err != nil {
		return nil, console.Status{}, taken // it has ended meanwhile
	}
	status, err := c.Status(ctx)
	var want console.AdapterRef
	if named {
		want = console.AdapterRef{Adapter: adapter, Origin: f.spec.Origin}
	}
	if err == nil {
		err = status.Reusable(want, f.spec.Sandbox)
	}
	if ended, ok := errors.AsType[*console.Fault](err); !f.reuse && (!ok || ended.Code != console.FaultExited) {
		err = taken
	}
	if err != nil {
		c.Close()
		return nil, status, err
	}
	return c, status, nil
}

// noteIgnored names the flags that have no effect on a console that runs already.
func noteIgnored(a *ui.App, cmd *cobra.Command, name string, args int) {
	var ignored []string
	for _, flag := range []string{"cwd", "env", "executable", "cols", "rows", "idle-end"} {
		if cmd.Flags().Changed(flag) {
			ignored = append(ignored, "--"+flag)
		}
	}
	if args > 0 {
		ignored = append(ignored, "arguments")
	}
	if len(ignored) > 0 {
		a.Note("%s runs already; without effect: %s", name, strings.Join(ignored, ", "))
	}
}

// age formats how long a console has been running.
func age(s console.Status) string {
	d := s.Age
	if d == 0 { // its host was killed, or its version does not report it
		d = max(0, time.Since(s.Started))
	}
	if d < time.Minute {
		return d.Truncate(time.Second).String()
	}
	return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
}
