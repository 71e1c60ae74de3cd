package loop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// logs are where a turn is told for people.
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

// liveLog opens live.log, which begins anew, and the turn's own log.
func (l *Loop) liveLog(turn int) (logs, error) {
	name := fmt.Sprintf("turn_%04d_%s.log", turn, record.Stamp(l.now()))
	var files logs
	for _, path := range []string{l.store.Path(layout.LiveFile), filepath.Join(l.store.Path(layout.LogsDir), name)} {
		err := layout.NotPipe(path)
		var f *os.File
		if err == nil {
			f, err = os.Create(path)
		}
		if err != nil {
			return nil, errors.Join(err, files.Close())
		}
		files = append(files, f)
	}
	if p := l.config.Project(); p != "" {
		_, _ = fmt.Fprintf(files, "%s, turn %d\n", record.OneLine(p, 200), turn) // for people
	}
	return files, nil
}

const maxChanged = 50 // files named in the line of a turn

// recordTurn makes the turn last: one line with the whole state, then the files that
// are made from it.
func (l *Loop) recordTurn(e *ended) error {
	l.work.last = &e.after
	v := record.Line{
		Turn: e.turn, Time: l.now(), Type: record.TurnEnded, Session: l.state.Session.ID, Progress: &l.state.Progress,
		Changed: e.changed[:min(len(e.changed), maxChanged)], Failure: e.outcome.Failure, State: &l.state, Topics: e.topics, Asked: e.asked,
	}
	if err := l.log.Add(v); err != nil {
		return err
	}
	l.begun, l.stopped = false, nil
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
