package loopcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// newStatus returns the status command.
func newStatus(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var asJSON, byCode bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the state of this directory's loop",
		Long: `Show the state of the loop of this directory or of the closest parent directory with one: its
work so far and where that is, the reason that the loop ended, and the next command to type.

With --exit-code, the exit code reflects the state: 0 while the loop runs and when the work is
done, 8 when it needs your answer to continue, 3 if no loop has run, 1 if the loop was killed. For a
loop that stopped for another reason it is the exit code of "ripple run". A loop whose process is
stopped, as by Ctrl-Z, counts as one that runs; how to continue it is printed.`,
		Example: "  ripple status\n  ripple status --json | jq -r .work.branch\n  ripple status --exit-code >/dev/null || mail -s 'the loop needs you' me",
		Args:    ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project := loopDir()
			s, err := journal.ReadReport(project)
			if err == nil && s.Questions == nil {
				s.Questions, err = journal.OpenQuestions(project)
			}
			if err != nil {
				return reportError(err)
			}
			r, err := runOf(cmd.Context(), project, s)
			if err != nil && asJSON {
				return reportError(err)
			}
			if asJSON {
				err = a.PrintJSON(struct {
					journal.Report
					journal.Run
				}{s, r})
			} else {
				a.printReport(project, s, r)
			}
			if code := stateCode(s, r); byCode && code != ui.ExitOK && err == nil {
				return ui.ExitWith(code)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&byCode, "exit-code", false, "exit with a code that reflects the state of the loop")
	return cmd
}

// ownersHint is the advice for loop files without read or write permission.
func ownersHint(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "run this as the owner of " + layout.Dir + " and the files in it"
	}
	return ""
}

// reportError adds advice to an error of reading a loop's files.
func reportError(err error) error {
	next := ownersHint(err)
	if u, is := errors.AsType[*journal.UnreadableError](err); is && !errors.Is(err, fs.ErrPermission) {
		next = fmt.Sprintf("remove %s; to write it again from %s/%s, and continue: %s", u.Path, layout.Dir, layout.EventsFile, commandIn(loopDir(), "ripple run --resume"))
	}
	return ui.FailWith(ui.ExitFailed, err, next)
}

// killed reports whether a run has neither stopped nor a process: --resume continues it.
func killed(s journal.Report, r journal.Run) bool {
	return s.Found && s.Runner == nil && s.Status.ExitReason == "" && r.State != nil && r.Reason == ""
}

// runOf reads the current or last run of a loop, up to now, with what to do next if it does not run; it is empty if it cannot be read.
func runOf(ctx context.Context, project string, s journal.Report) (r journal.Run, err error) {
	if r, err = journal.ReadRun(project); err != nil {
		return journal.Run{}, err
	}
	forgetStop(&r, s)
	dead := killed(s, r)
	if dead {
		stop := &loop.Stop{Reason: loop.ReasonInterrupted}
		if i := slices.IndexFunc(s.Questions, func(q record.Question) bool { return q.Holds }); i >= 0 {
			stop.Question = &s.Questions[i]
		}
		r.Next, r.ExitCode = whatNext(stop), new(stateCode(s, r))
	}
	if !dead && s.Runner == nil && r.State != nil && holdsOpen(r.State.Questions) && !holdsOpen(s.Questions) { // answered since
		r.Next, r.ExitCode = "Continue with your answer: `ripple run --resume`.", new(ui.ExitFailed)
	}
	if dead || s.Runner == nil && r.Work != nil {
		r.Work = loop.WorkNow(ctx, project, r)
	}
	r.Next = localNext(project, r.Next)
	countUntilNow(&r, s, time.Now())
	return r, nil
}

// forgetStop removes how the run stopped if it has been resumed since: before its next turn, the record has only the stop.
func forgetStop(r *journal.Run, s journal.Report) {
	if s.Runner != nil && s.Runner.Started.After(r.Recorded) {
		r.Reason, r.Why, r.Next, r.ExitCode, r.Work = "", "", "", nil, nil
	}
}

// holdsOpen reports whether the loop cannot continue without the answer to one of the questions.
func holdsOpen(list []record.Question) bool {
	return slices.ContainsFunc(list, func(q record.Question) bool { return q.Holds && q.Open() })
}

func (a *app) printReport(project string, s journal.Report, r journal.Run) {
	if !s.Found {
		a.Printf("no loop has run here; to start one: ripple init, then ripple run\n")
		return
	}
	w := a.NewSheet()
	state := shownState(s)
	if s.StoppedGroup != 0 {
		state = "suspended"
	}
	if s.Runner != nil {
		state += fmt.Sprintf(", process %d since %s", s.Runner.PID, s.Runner.Started.Local().Format(time.DateTime))
	} else if killed(s, r) || state == "running" || state == "paused" {
		state = "interrupted (" + commandIn(project, "ripple run --resume") + ")"
	}
	w.Row("loop", state)
	if s.StoppedGroup != 0 {
		w.Row("", suspended(s))
		w.Row("to continue", continues(s))
	}
	if project != "." {
		w.Row("project", project)
	}
	for _, q := range s.Questions {
		w.Row("needs you", asksWords(q))
		w.Row("", strings.SplitN(ways(q), "\n", 2)[0])
	}
	w.Row("turns", s.Status.LoopCount)
	w.Row("last action", s.Status.LastAction)
	w.Row("ended", s.Status.ExitReason)
	w.Row("because", r.Why)
	if s.Runner != nil {
		w.Row("hat", r.Hat)
	}
	if r.CostUSD > 0 {
		w.Row("cost", loop.FormatUSD(r.CostUSD))
	}
	if r.Tokens.Input+r.Tokens.Output > 0 {
		w.Row("tokens", fmt.Sprintf("%s in, %s out", ui.ShortNumber(r.Tokens.Input), ui.ShortNumber(r.Tokens.Output)))
	}
	w.Row("calls this hour", fmt.Sprintf("%d of %d", s.Status.CallsMade, s.Status.MaxCalls))
	w.Row("circuit", circuit(s.Breaker))
	if total := s.OpenTasks + s.DoneTasks; total > 0 {
		w.Row("tasks", fmt.Sprintf("%d of %d open", s.OpenTasks, total))
	}
	w.Row("session", s.SessionID)
	workRows(w, project, r)
	w.Row("as of", s.Status.Timestamp.Local().Format(time.DateTime))
}

// shownState is the state of a loop for users. Between two turns, status.json has the outcome of the last turn.
func shownState(s journal.Report) string {
	if state := s.Status.Status; s.Runner == nil || state != "success" && state != "error" {
		return state
	}
	return "running"
}

// suspended says that the process of a loop is stopped.
func suspended(s journal.Report) string {
	return fmt.Sprintf("process %d, which runs the loop, is stopped (Ctrl-Z or SIGSTOP)", s.Runner.PID)
}

// continues says how to continue a stopped loop.
func continues(s journal.Report) string {
	return fmt.Sprintf("fg in its terminal, or kill -CONT -%d", s.StoppedGroup)
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
