package loopcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// NewStatus is ripple status.
func NewStatus(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how the loop of this directory stands",
		Args:  ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := journal.ReadReport(".")
			if err == nil && s.Questions == nil {
				s.Questions, err = journal.OpenQuestions(".")
			}
			if err != nil {
				return reportError(err)
			}
			if asJSON {
				r, err := journal.ReadRun(".")
				if err != nil {
					return reportError(err)
				}
				return a.PrintJSON(struct {
					journal.Report
					journal.Run
				}{s, r})
			}
			a.printReport(s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// ownersHint helps where a loop's files may not be read or written.
func ownersHint(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "do it as the owner of " + layout.Dir + " and the files in it: a loop's record is its owner's"
	}
	return ""
}

// reportError says what helps where the files of a loop cannot be read.
func reportError(err error) error {
	next := ownersHint(err)
	if u, is := errors.AsType[*journal.UnreadableError](err); is && !errors.Is(err, fs.ErrPermission) {
		next = fmt.Sprintf("remove %s; ripple run --resume goes on by %s/%s and writes it anew", u.Path, layout.Dir, layout.EventsFile)
	}
	return ui.FailWith(ui.ExitFailed, err, next)
}

func (a *app) printReport(s journal.Report) {
	if !s.Found {
		a.Printf("no loop has run here; ripple init and ripple run begin one\n")
		return
	}
	w := a.NewSheet()
	state := s.Status.Status
	if s.Runner != nil {
		state += fmt.Sprintf(", process %d since %s", s.Runner.PID, s.Runner.Started.Local().Format(time.DateTime))
	} else if state == "running" || state == "paused" {
		state = "cut off (ripple run --resume goes on)"
	}
	w.Row("loop", state)
	for _, q := range s.Questions {
		w.Row("needs you", asksWords(q))
		w.Row("", strings.SplitN(ways(q), "\n", 2)[0])
	}
	w.Row("turns", s.Status.LoopCount)
	w.Row("last action", s.Status.LastAction)
	w.Row("ended", s.Status.ExitReason)
	if r, err := journal.ReadRun("."); err == nil { // the rest is there in any case
		w.Row("because", r.Why)
		if s.Runner != nil {
			w.Row("hat", r.Hat)
		}
		if r.CostUSD > 0 {
			w.Row("cost", loop.Dollars(r.CostUSD))
		}
		if r.Tokens.Input+r.Tokens.Output > 0 {
			w.Row("tokens", fmt.Sprintf("%s in, %s out", ui.ShortNumber(r.Tokens.Input), ui.ShortNumber(r.Tokens.Output)))
		}
	}
	w.Row("calls this hour", fmt.Sprintf("%d of %d", s.Status.CallsMade, s.Status.MaxCalls))
	w.Row("circuit", circuit(s.Breaker))
	if total := s.OpenTasks + s.DoneTasks; total > 0 {
		w.Row("tasks", fmt.Sprintf("%d of %d open", s.OpenTasks, total))
	}
	w.Row("session", s.SessionID)
	w.Row("as of", s.Status.Timestamp.Local().Format(time.DateTime))
}

func circuit(b record.Breaker) string {
	text := b.State
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	if b.NoProgress > 0 {
		text += " (" + ui.Count(b.NoProgress, "turn") + " without progress)"
	}
	return text
}

// NewReset is ripple reset.
func NewReset(shared *ui.App) *cobra.Command {
	a := &app{shared}
	return &cobra.Command{
		Use:   "reset {circuit | session}",
		Short: "Close the circuit breaker, or forget the agent's session",
		Long: `"reset circuit" closes the circuit breaker and begins its counts anew, so that the next
turn is an ordinary one; the agent's session ends with it. "reset session" only has the
next turn begin a new session. Neither changes a file of yours.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != loop.ResetCircuit && args[0] != loop.ResetSession {
				return ui.UsageError(ui.SeeHelp(cmd), "%s takes one word, circuit or session", cmd.CommandPath())
			}
			return nil
		},
		ValidArgs: []string{loop.ResetCircuit, loop.ResetSession},
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := os.Stat(layout.Dir); errors.Is(err, fs.ErrNotExist) {
				return ui.FailWith(ui.ExitUsage, errors.New("there is no .ralph here"), "go to the project's directory")
			}
			err := loop.Reset(".", args[0], time.Now().Round(0).UTC())
			if _, locked := errors.AsType[*journal.LockedError](err); locked {
				return ui.FailWith(ui.ExitFailed, err, "ripple stop ends it after the turn")
			}
			if err != nil {
				return ui.FailWith(ui.ExitFailed, err, ownersHint(err))
			}
			a.Note("%s reset", args[0])
			return nil
		},
	}
}

// NewStop is ripple stop.
func NewStop(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var now bool
	cmd := &cobra.Command{
		Use:   "stop [--now]",
		Short: "End the loop of this directory after its turn, or now",
		Args:  ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := journal.ReadReport(".")
			switch {
			case s.Runner != nil: // whatever the other files say
			case err != nil:
				return reportError(err)
			default:
				return ui.FailWith(ui.ExitFailed, errors.New("no loop runs here"), "ripple status tells how the last one ended")
			}
			if host, err := os.Hostname(); err == nil && s.Runner.Host != "" && s.Runner.Host != host {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("the loop runs on %s, process %d", s.Runner.Host, s.Runner.PID), "stop it there")
			}
			signal, when := syscall.SIGINT, "after this turn"
			if now {
				signal, when = syscall.SIGTERM, "now"
			}
			p, err := os.FindProcess(s.Runner.PID)
			if err == nil {
				err = p.Signal(signal)
			}
			if err != nil {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("process %d: %w", s.Runner.PID, err), "")
			}
			a.Note("process %d was asked to end the loop %s", s.Runner.PID, when)
			return nil
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "end the agent, too, instead of waiting for it")
	return cmd
}
