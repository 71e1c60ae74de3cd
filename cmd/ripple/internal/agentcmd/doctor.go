package agentcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// doctorFlags are the flags of `ripple doctor`.
type doctorFlags struct {
	adapter string
	json    bool
	probe   bool
	verbose bool
	timeout time.Duration
}

// NewDoctor is ripple doctor.
func NewDoctor(shared *ui.App) *cobra.Command {
	a := &app{App: shared}
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor [--probe] [--verbose] [NAME...]",
		Short: "Report which coding agents are usable here, and what the others need",
		Long: `Report which coding agents can be used on this machine. The installed agents come first, usable
ones before the others: the version and the lowest version that the adapter supports, whether a
user is logged in (if the agent reports that), and the transports whose programs are installed;
then what to do to make the others usable. One line names the agents that are not installed; with
--verbose they are listed like the others, with how to install them. The last line says whether
this machine can run boxes. Nothing is changed.

With NAMEs of adapters, or adapter files, report in full on their programs instead, which need
not be agents.

--probe starts each program in a session, in your home directory and with your environment,
and sends the probe of its adapter: a line of code with a known result. Without a NAME, it
probes all installed programs whose adapter has a probe. Agents have no probe.

The exit code is 3 if no agent is usable. With NAMEs or --probe it is 3 if one of the programs
is missing or too old, if no user is logged in to it, or if its probe failed.`,
		Example: "  ripple doctor\n  ripple doctor --verbose\n  ripple doctor claude --json\n  ripple doctor --probe python psql --timeout 10s",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if cmd.Flags().Changed("adapter") {
				names = append(names, f.adapter)
			}
			if !f.probe {
				if cmd.Flags().Changed("timeout") {
					return ui.UsageError("add --probe", "--timeout needs --probe")
				}
				return a.doctor(cmd.Context(), names, f)
			}
			if f.timeout <= 0 {
				return ui.UsageError("", "--timeout must be greater than 0, not %s", f.timeout)
			}
			return a.Guarded(func() error {
				ctx, _, stop := ui.UntilSignal(cmd.Context(), true)
				defer stop()
				return a.doctor(ctx, names, f)
			})
		},
		ValidArgsFunction: ui.CompleteAdapter(a.App),
	}
	cmd.Flags().StringVar(&f.adapter, "adapter", "", "report on this adapter (`NAME` or file); same as an argument")
	ui.CompleteFlag(cmd, "adapter", ui.CompleteAdapter(a.App))
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also say how to install each agent that is missing")
	cmd.Flags().BoolVar(&f.probe, "probe", false, "start the programs and send them their adapters' probes")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "with --probe: maximum time for one program")
	return cmd
}

// diagnosis is the result of the checks of one program.
type diagnosis struct {
	Name       string       `json:"name"`
	Family     string       `json:"family"`
	Priority   int          `json:"priority,omitempty"` // place in auto-detection; 0: never chosen
	Executable string       `json:"executable,omitempty"`
	Version    string       `json:"version,omitempty"`
	MinVersion string       `json:"min_version,omitempty"`
	Login      launch.Login `json:"login,omitempty"` // yes, no, unknown
	Probe      *probed      `json:"probe,omitempty"` // nil: not asked
	Transports []string     `json:"ways,omitempty"`  // that can be used here: stdio, acp, screen
	Usable     bool         `json:"usable"`
	Todo       []string     `json:"todo,omitempty"`
	Unverified string       `json:"unverified,omitempty"`
}

func newDiagnosis(e *registry.Entry, r launch.Examination) diagnosis {
	d := diagnosis{
		Name: e.Name, Family: string(e.Adapter.Family), Executable: r.Executable, Version: r.Version, MinVersion: r.MinVersion,
		Login: r.Login, Usable: r.Usable, Todo: r.Todo, Unverified: e.Adapter.Unverified,
	}
	if g := e.Adapter.Agent; g != nil {
		d.Priority, d.Transports = g.AutoDetect.Priority, transportsHere(e.Adapter)
	}
	return d
}

// transportsHere returns the transports of an agent whose programs are installed: a transport may
// have a program of its own.
func transportsHere(a *schema.Adapter) (list []string) {
	for _, name := range a.Agent.Transports() {
		one, err := a.WithTransport(name)
		if err != nil {
			continue // not possible: the agent has all of these transports
		}
		if _, err := launch.Locate(one, launch.OSHost(), ""); err == nil {
			list = append(list, name)
		}
	}
	return list
}

func (a *app) doctor(ctx context.Context, names []string, f doctorFlags) error {
	list, err := a.patients(names, f.probe)
	if err != nil {
		return err
	}
	found := a.examineAll(ctx, list, f)
	if ctx.Err() != nil {
		return ui.ExitWith(ui.ExitInterrupted)
	}
	switch {
	case f.json:
		err = a.PrintJSON(found)
	case f.probe || f.verbose || len(names) > 0:
		err = a.printDiagnoses(found)
	default:
		err = a.printInstalled(found)
	}
	if err == nil && !f.json && !f.probe && len(names) == 0 {
		a.printBox(box.Check())
	}
	usable := usableOf(found)
	if each := len(names) > 0 || f.probe; err == nil && (usable == 0 || each && usable < len(found)) {
		err = ui.ExitWith(ui.ExitMissing)
	}
	return err
}

// examineAll looks at one program after another, until it is interrupted.
func (a *app) examineAll(ctx context.Context, list []*registry.Entry, f doctorFlags) []diagnosis {
	shown := a.NewProgress()
	defer shown.Stop()
	found := make([]diagnosis, 0, len(list))
	for i, e := range list {
		if ctx.Err() != nil {
			break
		}
		d := newDiagnosis(e, a.Examine(ctx, e, launch.Program{}))
		if f.probe {
			shown.Update(e.Name, contract.Progress{Name: "probe", Number: i + 1, Total: len(list)})
			d.probe(ctx, e, f.timeout)
		}
		shown.Done(e.Name, func() {})
		found = append(found, d)
	}
	return found
}

func usableOf(list []diagnosis) (n int) {
	for _, d := range list {
		if d.Usable {
			n++
		}
	}
	return n
}

// patients are the programs to look at.
func (a *app) patients(names []string, probe bool) (list []*registry.Entry, err error) {
	switch {
	case len(names) > 0:
	case probe:
		return a.sessions()
	default:
		r, err := a.Registry()
		if err != nil {
			return nil, err
		}
		return r.Agents(), nil
	}
	for _, name := range names {
		e, err := a.Adapter(name)
		if err != nil {
			return nil, err
		}
		if probe && e.Adapter.Probe == nil {
			return nil, ui.UsageError("to see its version and its login: leave out --probe", "%s has no probe: its adapter (family %s) declares none", e.Name, e.Adapter.Family)
		}
		list = append(list, e)
	}
	return list, nil
}

func (a *app) printDiagnoses(list []diagnosis) error {
	err := a.PrintTable(func(w io.Writer) {
		fmt.Fprintln(w, "NAME\tUSABLE\tVERSION\tNEEDS\tLOGIN\tTRANSPORTS\tPROBE\tPROGRAM")
		for _, d := range list {
			fmt.Fprintln(w, ui.Harmless(strings.Join([]string{d.Name, ui.YesNo(d.Usable), dash(d.Version), dash(d.MinVersion), dash(string(d.Login)), dash(strings.Join(d.Transports, ",")), d.Probe.String(), dash(d.Executable)}, "\t")))
		}
	})
	if err != nil {
		return err
	}
	for _, d := range list {
		if len(d.Todo) > 0 {
			a.Printf("\n%s:\n%s\n", d.Name, ui.Harmless(ui.Indent(strings.Join(d.Todo, "\n"))))
		}
	}
	return nil
}

// printInstalled prints what is known about installed programs, usable ones first, and only the
// names of the others: on most machines these are the majority.
func (a *app) printInstalled(list []diagnosis) error {
	var usable, others []diagnosis
	var missing []string
	for _, d := range list {
		switch {
		case d.Executable == "":
			missing = append(missing, d.Name)
		case d.Usable:
			usable = append(usable, d)
		default:
			others = append(others, d)
		}
	}
	if installed := append(usable, others...); len(installed) == 0 {
		a.Printf("no coding agent is installed\n")
	} else if err := a.printDiagnoses(installed); err != nil {
		return err
	}
	if len(missing) > 0 {
		a.Printf("\nnot installed: %s\n  to see how to install them: ripple doctor --verbose\n", strings.Join(missing, ", "))
	}
	return nil
}

// printBox says whether boxes can be run here; err is why not.
func (a *app) printBox(err error) {
	words := "supported; to run a loop in one: ripple run --box"
	if err != nil {
		words = err.Error()
	}
	if missing, is := errors.AsType[*box.Missing](err); is && missing.Fix != "" {
		words += "\n" + missing.Fix
	}
	a.Printf("\nboxes:\n%s\n", ui.Indent(words))
}

func dash(s string) string { return cmp.Or(s, "-") }
