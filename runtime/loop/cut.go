package loop

import (
	"context"
	"fmt"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// begun reports whether an earlier attempt at the next turn was started. Such a turn keeps the
// tree before its first attempt, and precedes any check that could end the loop as done.
func (r *run) begun() bool { return r.inTurn || r.state.Cut > 0 }

// leftWords returns the reason for the end of an attempt that has no final line in the log.
func leftWords(found journal.Left) string {
	if found.Stopped != nil {
		return "the loop stopped: " + found.Stopped.Reason
	}
	return "the loop was killed"
}

// cut records an attempt at a turn that did not complete, and adds its cost. The turn is repeated
// when the loop continues.
func (r *run) cut(turn int, spent event.Tokens, why string) error {
	addCut(&r.state, spent)
	v := record.Line{Turn: turn, Time: r.now(), Type: record.TurnCut, Why: why, State: r.stateNow()}
	if err := r.log.Add(v); err != nil {
		return err
	}
	r.inTurn = false
	return nil
}

// tellCut reports that a turn of an earlier process is repeated.
func (r *run) tellCut(turn int, spent event.Tokens, why string) {
	text := fmt.Sprintf("turn %d was interrupted (%s) and is repeated", turn, why)
	if spent.CostUSD > 0 {
		text += fmt.Sprintf("; it cost %s", FormatUSD(spent.CostUSD))
	}
	r.tell(Notice{Kind: NoticeNote, Turn: turn, Text: text})
}

func addCut(s *record.State, spent event.Tokens) {
	s.Cut++
	s.CostUSD = event.SumUSD(s.CostUSD, spent.CostUSD)
	spent.CostUSD = 0
	s.Tokens = s.Tokens.Add(spent)
}

// cutShort ends an attempt with the error that interrupted it.
func (l *Loop) cutShort(ctx context.Context, e *ended, err error) error {
	why := stopFor(err).Message
	if ctx.Err() != nil {
		why = "it was interrupted"
	}
	l.dispatcher.undo()
	l.leftByCut(ctx, e)
	spent := e.said.used
	spent.CostUSD = e.said.cost
	if cutErr := l.cut(e.turn, spent, record.OneLine(why, 300)); cutErr != nil {
		l.note("the attempt could not be recorded: " + cutErr.Error())
	} else {
		_ = l.store.WriteJSON(layout.SnapshotFile, e.baseline) // without it, the next attempt reports the changes again
	}
	return err
}

// leftByCut notes what an attempt left in the trees, which the summary reports, the files to review, and the changes of the
// prompt and the plan. Errors are ignored: the run ends for another reason, and the next one finds the tree before the attempt.
func (l *Loop) leftByCut(ctx context.Context, e *ended) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	_ = l.compare(ctx, e)
	l.confined.takeFiles(ctx, e.changed)
	_ = l.work.checkouts.turnOver(ctx, e)
	l.compareCut(e)
}

// recall restores the questions and answers of an attempt that was killed.
func recall(s *record.State, talk []record.Line) {
	for _, v := range talk {
		s.Questions = journal.UpdateQuestions(s.Questions, v)
		switch v.Type {
		case record.Asked:
			s.Asking++
		case record.Answered:
			settled(s, *v.Question)
		case record.Guided:
			s.Guides, s.Heard = append(s.Guides, *v.Guide), append(s.Heard, v.Guide.ID)
		}
	}
}
