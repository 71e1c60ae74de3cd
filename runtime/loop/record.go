package loop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// logs are the log files for the user.
type logs []*os.File

func (l logs) Write(data []byte) (int, error) {
	for _, f := range l {
		if n, err := f.Write(data); err != nil {
			return n, err
		}
	}
	return len(data), nil
}

func (l logs) Close() (err error) {
	for _, f := range l {
		err = errors.Join(err, f.Close())
	}
	return err
}

// liveLog truncates and opens live.log, and opens the turn's own log.
func (l *Loop) liveLog(turn int) (io.WriteCloser, error) {
	name := fmt.Sprintf("turn_%04d_%s.log", turn, record.Stamp(l.now()))
	var files logs
	for _, name := range []string{layout.LiveFile, path.Join(layout.LogsDir, name)} {
		f, err := l.store.Files().Create(name)
		if err != nil {
			return nil, errors.Join(err, files.Close())
		}
		files = append(files, f)
	}
	log := l.newLog(files)
	if p := l.config.Project(); p != "" {
		_, _ = fmt.Fprintf(log, "%s, turn %d\n", record.OneLine(p, 200), turn) // it never fails
	}
	return log, nil
}

const maxChanged = 50 // maximum number of files in the line of a turn

// recordTurn persists the turn: one line with the whole state, then the files that are derived
// from it.
func (l *Loop) recordTurn(e *ended) error {
	if l.work.last = &e.after; e.unseen != nil {
		l.work.last = nil
	}
	v := record.Line{
		Turn: e.turn, Time: l.now(), Type: record.TurnEnded, Session: l.state.Session.ID, Progress: &l.state.Progress,
		Changed: e.changed[:min(len(e.changed), maxChanged)], Failure: e.outcome.Failure, Checkout: e.checkout, Project: e.users, State: &l.state, Topics: e.topics, Asked: e.asked,
	}
	l.state.Cut = 0
	if err := l.log.Add(v); err != nil {
		return err
	}
	l.inTurn, l.stopped = false, nil
	status := "success"
	if e.failed() {
		status = "error"
	}
	err := l.publish(status, l.action(l.state.Last), "")
	l.tell(Notice{
		Kind: NoticeTurnEnded, Turn: e.turn, Text: l.state.Last, Outcome: record.OneLine(e.result(), 300), OK: l.state.Progress,
		Topics: e.topics, Cost: l.state.CostUSD, Elapsed: l.elapsed(), Record: &journal.Record{Line: v},
	})
	return err
}
