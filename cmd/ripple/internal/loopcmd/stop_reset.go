package loopcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/proctree"
)

// newReset returns the reset command.
func newReset(shared *ui.App) *cobra.Command {
	a := &app{shared}
	return &cobra.Command{
		Use:   "reset {circuit | session}",
		Short: "Close the circuit breaker, or discard the agent's session",
		Long: `"reset circuit" closes the circuit breaker and resets its counts, so that the next
turn is a normal turn, not a trial; it also ends the agent's session. "reset session" only makes
the next turn start a new session. Neither changes any of your files.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != loop.ResetCircuit && args[0] != loop.ResetSession {
				return ui.UsageError(ui.SeeHelp(cmd), "%s takes one word, circuit or session", cmd.CommandPath())
			}
			return nil
		},
		ValidArgs: []string{loop.ResetCircuit, loop.ResetSession},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writesForUser(a, cmd.CommandPath()); err != nil {
				return err
			}
			if _, err := os.Stat(filepath.Join(loopDir(), layout.Dir)); errors.Is(err, fs.ErrNotExist) {
				return ui.FailWith(ui.ExitUsage, errors.New("there is no .ralph here"), "go to the project's directory")
			}
			err := loop.Reset(loopDir(), args[0], time.Now().Round(0).UTC())
			if _, locked := errors.AsType[*journal.LockedError](err); locked {
				return ui.FailWith(ui.ExitFailed, err, "to end it after the turn: ripple stop")
			}
			if err != nil {
				return ui.FailWith(ui.ExitFailed, err, ownersHint(err))
			}
			a.Note("%s reset", args[0])
			return nil
		},
	}
}

// newStop returns the stop command.
func newStop(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var now bool
	cmd := &cobra.Command{
		Use:   "stop [--now]",
		Short: "Stop the loop of this directory after its current turn, or immediately",
		Long: `Ask the loop that runs in this directory to stop. Its current turn ends first; with --now the
agent is ended at once, and "ripple run --resume" repeats the turn. Nothing is lost:
the record of the loop has all turns. The exit code is 1 if no loop runs here. A loop whose process
is stopped, as by Ctrl-Z, cannot end its turn (exit code 1); --now continues and ends it. Only the
user who started the loop, and root, can stop it.`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := byPeople(a, cmd.CommandPath()); err != nil {
				return err
			}
			s, err := journal.ReadReport(loopDir())
			switch {
			case s.Runner != nil: // regardless of errors in other files
			case err != nil:
				return reportError(err)
			default:
				return ui.FailWith(ui.ExitFailed, errors.New("no loop runs here"), "to see how the last one ended: ripple status")
			}
			if host, err := os.Hostname(); err == nil && s.Runner.Host != "" && s.Runner.Host != host {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("the loop runs on %s, process %d", s.Runner.Host, s.Runner.PID), "stop it there")
			}
			signal, when := syscall.SIGINT, "after this turn"
			if now {
				signal, when = syscall.SIGTERM, "now"
			}
			p, err := loopProcess(s.Runner.PID)
			if err == nil && s.StoppedGroup != 0 && !now {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s: it cannot end its turn", suspended(s)), "to continue it: "+continues(s)+"\nto end it now: ripple stop --now")
			}
			if err == nil {
				err = p.Signal(signal)
			}
			if err == nil && s.StoppedGroup != 0 {
				err = proctree.Continue(s.StoppedGroup)
			}
			if errors.Is(err, fs.ErrPermission) {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("process %d, which runs the loop, belongs to another user: only that user and root can stop it", s.Runner.PID), "ask that user to run ripple stop")
			}
			if err != nil {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("process %d: %w", s.Runner.PID, err), "")
			}
			a.Note("process %d was asked to end the loop %s", s.Runner.PID, when)
			return nil
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "end the running turn immediately instead of waiting for it")
	return cmd
}

// loopProcess returns the process that runs the loop of this directory. The lock file has its ID, but another user of the
// project, or an agent, can write that of any process there: only the process that runs the loop has the file open.
func loopProcess(pid int) (*os.Process, error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil, err
	}
	files := layout.Files(loopDir())
	lock, err := files.Stat(layout.LockFile)
	if err != nil {
		return nil, err
	}
	open, err := proctree.HasOpen(pid, lock)
	if err == nil && !open {
		err = fmt.Errorf("it does not run the loop, although %s has its ID", files.Path(layout.LockFile))
	}
	return p, err
}
