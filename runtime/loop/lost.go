package loop

import (
	"errors"
	"os"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// theirs are the files under Dir that people and agents write. They are written back
// when the whole directory was removed, and not when one of them was.
var theirs = []string{layout.PromptFile, layout.PlanFile, layout.AgentFile, layout.RCFile, layout.IgnoreFile}

// remember keeps what cannot be made from the state.
func (l *Loop) remember(turn int, before git.Snapshot) {
	l.before, l.theirs = &begunWith{Turn: turn, Snapshot: before}, map[string][]byte{}
	for _, name := range theirs {
		if data, err := layout.ReadFile(l.store.Path(name)); err == nil { // one that is not there is not written back
			l.theirs[name] = data
		}
	}
}

// mend writes the loop's directory back when somebody removed it while the loop
// runs: `git clean -fdx`, `git stash -ua`, `rm -rf .ralph`. The events are read from
// the file that is still open; if that was emptied, they begin anew with the state.
func (l *Loop) mend() error {
	if !l.log.Lost() && !l.store.Unlocked() {
		return nil
	}
	if _, err := os.Stat(l.o.Project); err != nil {
		return &Stop{
			Reason: ReasonError, RecordLost: true, Err: err, Why: sentence("The project's directory was removed while the loop ran, and the loop's record with it: " + err.Error()),
			Do: "bring the project back",
		}
	}
	if err := l.writeBack(); err != nil {
		return lostStop(err)
	}
	l.note(layout.Dir + " was removed or emptied while the loop ran (git clean, git stash, rm); it was written back, without the older logs")
	return nil
}

func lostStop(err error) error {
	if stop := stopFor(err); stop.Reason == ReasonLocked {
		return stop
	}
	return &Stop{
		Reason: ReasonError, RecordLost: true, Err: err, Why: sentence(layout.Dir + " was removed while the loop ran and cannot be written back: " + err.Error()),
		Do: "put the cause right: the record of this run is lost, the work is in the tree",
	}
}

func (l *Loop) writeBack() error {
	if err := os.MkdirAll(l.store.Path(layout.LogsDir), 0o755); err != nil {
		return err
	}
	if err := l.store.Relock(l.now()); err != nil {
		return err
	}
	l.store.Forget()
	whole, err := l.log.Rewrite()
	if err == nil && !whole {
		err = l.log.Add(record.Line{Turn: l.state.Turn, Time: l.now(), Type: record.WrittenBack, State: &l.state})
		if err == nil && l.begun {
			err = l.log.Add(record.Line{Turn: l.state.Turn + 1, Time: l.now(), Type: record.TurnStarted})
		}
	}
	for name, data := range l.theirs {
		if _, missing := os.Lstat(l.store.Path(name)); gone(missing) {
			err = errors.Join(err, l.store.Write(name, data))
		}
	}
	if l.before != nil {
		err = errors.Join(err, l.store.WriteJSON(layout.SnapshotFile, written(l.state.Run, l.before.Turn, l.before.Snapshot)))
	}
	return errors.Join(err, l.store.WriteJSON(layout.CallsFile, l.calls), l.project("running", l.action("executing"), ""))
}
