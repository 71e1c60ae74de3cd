// Package consolecmd implements `ripple console`: sessions that outlive the command that
// started them.
package consolecmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/cmd/ripple/internal/prefork"
	"example.org/ripple/cmd/ripple/internal/prestart"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/sandbox"
)

// New returns the command.
func New(a *ui.App, version string) *cobra.Command {
	cmd := ui.Group(&cobra.Command{
		Use:   "console",
		Short: "Start and use named sessions that keep running",
		Long: `A console is a session that keeps running when the command that started it has ended.
Any process of the same user can use it, by its name or a unique prefix. If there is only one
console, you can omit the name.

--timeout ends the wait for a command, never the command. The output of a command can
be read again. A console ends with "ripple console close" or ten minutes after its
program has ended, and never while a command runs.`,
		Example: `  ripple console start bash --name work
  ripple console exec work 'cd src && make'
  ripple console list
  ripple console close work`,
	})
	cmd.AddCommand(newStart(a), newAttach(a), newExec(a), newWait(a), newSend(a), newPeek(a), newRead(a), newHistory(a), newRecord(a), newList(a), newResize(a), newClose(a), newLogs(a))
	cmd.AddCommand(ui.WithoutHome(newHost(a, version)), ui.WithoutHome(newConfine()), ui.WithoutHome(attached.SupervisorCommand(a)))
	return cmd
}

// find returns the console that the first argument names, or the only one.
func find(a *ui.App, args []string) (*console.Client, error) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	c, err := console.Find(a.Getenv, name)
	return c, explain(err)
}

// onConsole returns a command's function that calls run with the console that the first argument names.
func onConsole(a *ui.App, run func(ctx context.Context, c *console.Client) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := find(a, args)
		if err != nil {
			return err
		}
		defer c.Close()
		return run(cmd.Context(), c)
	}
}

// explain adds an exit code and a hint to an error of a console.
func explain(err error) error {
	f, ok := errors.AsType[*console.Fault](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return ui.ExitWith(ui.ExitInterrupted)
	case !ok:
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	code, hint, name := ui.ExitFailed, "", ""
	if f.Status != nil {
		name = " " + f.Status.Name
	}
	switch f.Code {
	case console.FaultBadRequest:
		code = ui.ExitUsage
	case console.FaultUnknown:
		if f == console.ErrNoConsole {
			return ui.FailWith(ui.ExitUsage, f, "to start one: ripple console start ADAPTER")
		}
		code, hint = ui.ExitUsage, "to list the consoles: ripple console list; to list the commands of one: ripple console history CONSOLE"
	case console.FaultProgramMissing:
		code = ui.ExitMissing
	case console.FaultNameInUse:
		code, hint = ui.ExitUsage, "give it another --name, or use that one: --reuse"
		if f.Status != nil {
			hint = "give it another --name, or close that one first: ripple console close " + f.Status.Name
		}
	case console.FaultBusy:
		hint = "to wait for it: ripple console wait" + name + "; to interrupt it: ripple console send" + name + " --key C-c"
		if f.Status != nil && f.Status.State == console.Starting {
			hint = startingHint(f.Status.Name)
		}
		if f.Status != nil && f.Status.State == console.Stopped {
			hint = killHint(f.Status.Name)
		}
		if f.Status != nil && f.Status.Agent != nil && f.Status.State == console.WaitingInput {
			_, hint = asks(*f.Status)
		}
	case console.FaultQueued:
		code, hint = ui.ExitTimeout, "nothing was typed; to wait for what runs now: ripple console wait"+name+"; to keep the call in the queue for longer: a longer --timeout"
		if f.Status != nil && f.Status.State == console.Starting {
			hint = startingHint(f.Status.Name)
		}
	case console.FaultUnresponsive:
		code, hint = ui.ExitTimeout, "to continue a stopped process: kill -CONT PID; to end the console: ripple console close --kill"
		if f.Status != nil {
			hint = fmt.Sprintf("to continue the process if it is stopped: kill -CONT %d; to end the console: ripple console close --kill %s", f.Status.HostPID, f.Status.Name)
		}
	case console.FaultCwdMismatch:
		hint = "nothing was typed"
	case console.FaultNotWaiting:
		if f.Status != nil && f.Status.State == console.Running {
			hint = "to wait until it reads: ripple console wait --for input " + f.Status.Name + "; to type it anyway: ripple console send " + f.Status.Name + " 'TEXT' --force"
		}
	case console.FaultTyping:
		hint = "try again when that line has been run or discarded; to see it: ripple console peek" + name
	case console.FaultStopped:
		code, hint = ui.ExitTimeout, killHint(f.Status.Name)
	case console.FaultSecret:
		hint = "to type it as a user: ripple console send" + name + " --secret, or ripple console attach" + name
	case console.FaultExited:
		hint = "to start another one: ripple console start"
		if f.Status != nil {
			kept := "ten minutes"
			if f.Status.State == console.Dead {
				kept = "a day"
			}
			hint = "to read the output of its commands, which is kept for " + kept + ": ripple console read " + f.Status.Name +
				"; to remove it: ripple console close " + f.Status.Name
		}
	}
	return ui.FailWith(code, f, hint)
}

// completeNames completes names of consoles.
func completeNames(a *ui.App) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		all, err := console.List(cmd.Context(), a.Getenv)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return consoleNames(all), cobra.ShellCompDirectiveNoFileComp
	}
}

func consoleNames(all []console.Status) (names []string) {
	for _, s := range all {
		names = append(names, cobra.CompletionWithDesc(s.Name, ui.FirstLine(s.Adapter)))
	}
	return names
}

// newHost returns the hidden command that runs a console's host.
func newHost(a *ui.App, version string) *cobra.Command {
	return &cobra.Command{
		Use:    "host",
		Hidden: true,
		Args:   ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Guarded(func() error {
				ctx, _, stop := ui.UntilSignal(cmd.Context(), true)
				defer stop()
				self, err := os.Executable()
				if err != nil {
					return err
				}
				begun, in := prestart.Console(a.In)
				return console.Serve(ctx, console.HostOptions{
					Version: version, Getenv: a.Getenv, In: in, Pending: begun, Ready: os.Stdout, SandboxCommand: []string{self, "console", "confine"},
				})
			})
		},
	}
}

// newConfine returns the hidden command that starts a program in a sandbox: a process of its own,
// so that the host is not restricted.
func newConfine() *cobra.Command {
	return &cobra.Command{
		Use:    "confine DIRECTORY TEMP -- PROGRAM [ARGUMENT...]",
		Hidden: true,
		Args:   cobra.MinimumNArgs(3),
		RunE: func(_ *cobra.Command, args []string) error {
			err := sandbox.Exec(args[0], args[1], args[2:])
			if errors.Is(err, sandbox.ErrUnavailable) {
				return ui.FailWith(ui.ExitMissing, err, "")
			}
			return ui.FailWith(ui.ExitFailed, err, "")
		},
	}
}

// spawnHost starts the process of a host, or takes the one that was prestarted.
func spawnHost() (*console.Process, error) {
	if h := prefork.TakeHost(); h != nil {
		p := &console.Process{Out: os.NewFile(uintptr(h.Out), "out"), Wait: h.Wait}
		if !h.Told {
			p.In = os.NewFile(uintptr(h.In), "in")
		}
		return p, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return console.Spawn([]string{self, "console", "host"})
}
