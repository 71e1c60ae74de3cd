package loopcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/schema"
)

// newReplay is ripple replay.
func newReplay(shared *ui.App) *cobra.Command {
	a := &player{shared}
	var speed float64
	var turn int
	var page string
	cmd := &cobra.Command{
		Use:   "replay [EVENTS]",
		Short: "Print what happened in a loop, from its events",
		Long: `Print what happened in a loop, turn by turn, as recorded in the file EVENTS (default:
.ralph/events.jsonl), on standard output: the agent's words, and ripple's own lines, which begin
with "ripple: " if standard output is not a terminal; a line of the agent that looks like one of
ripple begins with "│ ". It is printed at once, or with --speed at the original pace (1) or a
multiple of it (10: ten times as fast). No agent is started, and nothing is changed.

--html writes a page for a browser instead: each turn is a card with the agent's messages and
tool calls, the verification and the cost. The page is a single file that needs no network and
shows agents' output only as text. In a very long loop, the oldest turns are summarized.
Look at the page before you share it: it contains whatever the agent printed.`,
		Example: "  ripple replay\n  ripple replay --turn 3\n  ripple replay --html loop.html",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return ui.UsageError(ui.SeeHelp(cmd), "%s takes one file of events, not %d", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path := filepath.Join(loopDir(), layout.Dir, layout.EventsFile)
			if len(args) > 0 {
				path = args[0]
			} else if err := layout.Check(loopDir()); err != nil {
				return ui.FailWith(ui.ExitUsage, err, "")
			}
			if speed < 0 {
				return ui.UsageError("", "--speed must be at least 0, not %v", speed)
			}
			if cmd.Flags().Changed("html") {
				return a.page(cmd, path, page)
			}
			if turn < 1 && cmd.Flags().Changed("turn") {
				return ui.UsageError(turnsHint(path), "--turn must be the number of a turn, at least 1, not %d", turn)
			}
			return a.replay(cmd.Context(), path, speed, turn)
		},
	}
	cmd.Flags().Float64Var(&speed, "speed", 0, "replay at this multiple of the original pace (0: at once)")
	cmd.Flags().IntVar(&turn, "turn", 0, "show only this turn")
	cmd.Flags().StringVar(&page, "html", "", "write a page for a browser to this `FILE` (\"-\": standard output)")
	cmd.MarkFlagsMutuallyExclusive("html", "speed")
	cmd.MarkFlagsMutuallyExclusive("html", "turn")
	return cmd
}

// player is ripple replay: it shows a run again.
type player struct{ *ui.App }

func (a *player) replay(ctx context.Context, path string, speed float64, only int) error {
	f, err := openEvents(path)
	if err != nil {
		return err
	}
	defer f.Close() // only read from
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	shown := &player{a.OnStdout()}
	view := shown.NewTurnView(&schema.Adapter{Agent: &schema.Agent{}}, false)
	var last time.Time
	view.Now = func() time.Time { return last } // how long its tools took then
	found := only == 0
	read := journal.Read
	if only > 0 {
		read = func(from io.Reader, visit func(int, journal.Record, error) error) error {
			return journal.ReadTurn(from, only, visit)
		}
	}
	skipped := skippedLines{app: a.App, path: path}
	err = read(f, func(number int, r journal.Record, err error) error {
		if err != nil {
			skipped.add(number, err)
			return ctx.Err()
		}
		if only > 0 && r.Turn != only {
			return nil
		}
		found = true
		if err := pace(ctx, speed, last, r.Time); err != nil {
			return err
		}
		last = r.Time
		shown.replayRecord(view, r)
		return nil
	})
	skipped.sum()
	switch {
	case ctx.Err() != nil:
		return ui.ExitWith(ui.ExitInterrupted)
	case err != nil:
		return ui.FailWith(ui.ExitFailed, err, "")
	case !found:
		return ui.FailWith(ui.ExitUsage, fmt.Errorf("%s has no turn %d: it was not taken, or removed because the record had reached max_record", path, only), turnsHint(path))
	}
	return nil
}

// turnsHint names the turns in a log, which may be a pipe that cannot be read again.
func turnsHint(path string) string {
	const all = "to show all turns: leave out --turn"
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return all
	}
	f, err := openEvents(path)
	if err != nil {
		return all
	}
	defer f.Close() // only read from
	first, last, err := journal.Turns(f)
	switch {
	case err != nil:
		return all
	case last == 0:
		return path + " has no turn"
	case first == last:
		return fmt.Sprintf("%s has turn %d only", path, first)
	}
	return fmt.Sprintf("%s has the turns %d to %d\n%s", path, first, last, all)
}

// openEvents opens a log that somebody named, which may be a pipe, or that of the project.
func openEvents(path string) (*os.File, error) {
	open := os.Open
	if dir, name := filepath.Split(path); name == layout.EventsFile && filepath.Base(dir) == layout.Dir {
		project := filepath.Dir(filepath.Clean(dir))
		open = func(string) (*os.File, error) { return layout.Files(project).Open(layout.EventsFile) }
	}
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s does not exist", path)
		if path == filepath.Join(loopDir(), layout.Dir, layout.EventsFile) {
			err = fmt.Errorf("no loop has run here: %w", err)
		}
		return nil, ui.FailWith(ui.ExitUsage, err, "a loop writes this file; to start one: ripple init, then ripple run")
	}
	if err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, ownersHint(err))
	}
	return f, nil
}

// skippedLines reports the lines of a log that no loop has written: the first few, and the number
// of the others, for a damaged or hostile log may have millions.
type skippedLines struct {
	app  *ui.App
	path string
	n    int
}

// mostSkipped is the number of skipped lines that are reported one by one.
const mostSkipped = 5

func (s *skippedLines) add(number int, err error) {
	if s.n++; s.n <= mostSkipped { // the error may quote a line of megabytes
		s.app.Note("%s:%d: skipped a line that is not an event of a loop: %s", s.path, number, ui.FirstLine(record.Shorten(err.Error(), 1000)))
	}
}

// sum reports the number of lines that add did not.
func (s *skippedLines) sum() {
	if more := s.n - mostSkipped; more > 0 {
		s.app.Note("%s: skipped %d more lines that are not events of a loop", s.path, more)
	}
}

// pace waits as long as it took then.
func pace(ctx context.Context, speed float64, last, now time.Time) error {
	if speed == 0 || last.IsZero() || !now.After(last) {
		return ctx.Err()
	}
	t := time.NewTimer(time.Duration(float64(now.Sub(last)) / speed))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// turnWords begin a turn in plain lines.
func turnWords(turn int, hat, subject string) string {
	text := fmt.Sprintf("turn %d", turn)
	if hat != "" {
		text += fmt.Sprintf(" (%s: %s)", hat, subject)
	}
	return text
}

// cutWords says that an attempt at a turn was interrupted.
func cutWords(l record.Line) string {
	return fmt.Sprintf("turn %d was interrupted and is repeated: %s%s", l.Turn, ui.Harmless(l.Why), promptWords(l))
}

// promptWords says that the prompt changed while the turn ran; "" if it did not.
func promptWords(l record.Line) string {
	if l.State == nil || l.State.PromptTurn == 0 || l.State.PromptTurn != l.Turn {
		return ""
	}
	return ", its prompt was " + l.State.Prompt
}

// replayEnd prints the end of a turn.
func (a *player) replayEnd(l journal.Record) {
	what := "no progress"
	if l.Progress != nil && *l.Progress {
		what = "progress"
	}
	if l.Failure != nil {
		what += ", failed: " + l.Failure.Error()
	}
	what += promptWords(l.Line)
	if l.State != nil && l.State.CostUSD > 0 {
		what += ", " + loop.FormatUSD(l.State.CostUSD) + " so far"
	}
	a.Note("turn %d: %s", l.Turn, what)
	for _, text := range checkoutWords(l.Line) {
		a.Note("  %s", text)
	}
	for _, t := range l.Topics {
		a.Note("  %s", topicWords(t))
	}
	for _, q := range l.Asked {
		if q.Open() {
			a.Note("  %s", asksWords(q))
		}
	}
}

func (a *player) replayRecord(v *ui.TurnView, l journal.Record) {
	if l.Event != nil {
		v.Event(*l.Event)
		return
	}
	switch l.Type {
	case record.RunStarted:
		a.Note("%s: a run begins", l.Time.Local().Format(time.DateTime))
	case record.TurnStarted:
		if v.Marked {
			h := ui.Heading{Turn: l.Turn, Most: l.MaxTurns, Hat: l.Hat, Subject: l.Subject, Agent: l.Agent, Branch: l.Branch, Task: l.Task}
			v.Lines(a.Err, append([]string{""}, v.PageOf(a.Err).Head(h)...))
		} else {
			a.Note("%s", turnWords(l.Turn, l.Hat, l.Subject))
		}
	case record.TurnEnded:
		v.End()
		a.replayEnd(l)
	case record.TurnCut:
		v.End()
		a.Note("%s", cutWords(l.Line))
	case record.Verified:
		for _, v := range l.Verdicts {
			if v.OK {
				v.Why = "ok"
			}
			a.Note("`%s`: %s", v.Command, v.Why)
		}
	case record.Committed:
		a.Note("committed %s", l.SHA)
		if l.Why != "" {
			a.Note("the commit contains files that rarely belong in one: %s", ui.Harmless(l.Why))
		}
	case record.CommitRefused:
		a.Note("not committed: %s", l.Why)
	case record.Asked:
		a.Note("%s", asksWords(*l.Question))
	case record.Answered, record.Decided:
		a.Note("%s", givenWords(*l.Question))
	case record.Guided:
		a.Note("message for the next turn: %s", ui.Harmless(ui.FirstLine(l.Guide.Text)))
	case record.Reset:
		a.Note("%s reset", l.What)
	case record.LeftOut, record.BoxDenied:
		v.End()
		a.Note("%s", ui.Harmless(l.Why))
	case record.WrittenBack:
		a.Note("the events before this were removed")
	case record.Stopped:
		a.Note("stopped (%s): %s", l.Reason, l.Why)
	}
}
