package loop

import (
	"errors"
	"os"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// backup brings the loop's directory back when somebody removes it.
type backup struct {
	*run
	baseline *baseline // the tree before the turn
	files    map[string][]byte
}

// kept are the files under Dir that people and agents write. They are written back
// when the whole directory was removed, and not when one of them was.
var kept = []string{layout.PromptFile, layout.PlanFile, layout.AgentFile, layout.RCFile, layout.IgnoreFile}

// remember keeps what cannot be made from the state.
func (b *backup) remember(turn int, before git.Snapshot) {
	b.baseline, b.files = &baseline{Turn: turn, Snapshot: before}, map[string][]byte{}
	for _, name := range kept {
		if data, err := layout.ReadFile(b.store.Path(name)); err == nil { // one that is not there is not written back
			b.files[name] = data
		}
	}
}

// mend writes the loop's directory back when somebody removed it while the loop
// runs: `git clean -fdx`, `git stash -ua`, `rm -rf .ralph`. The events are read from
// the file that is still open; if that was emptied, they begin anew with the state.
func (b *backup) mend() error {
	if !b.log.Lost() && !b.store.Unlocked() {
		return nil
	}
	if _, err := os.Stat(b.project); err != nil {
		return &Stop{
			Reason: ReasonError, RecordLost: true, Err: err, Why: sentence("The project's directory was removed while the loop ran, and the loop's record with it: " + err.Error()),
			Do: "bring the project back",
		}
	}
	if err := b.writeBack(); err != nil {
		return lostStop(err)
	}
	b.note(layout.Dir + " was removed or emptied while the loop ran (git clean, git stash, rm); it was written back, without the older logs")
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

func (b *backup) writeBack() error {
	if err := os.MkdirAll(b.store.Path(layout.LogsDir), 0o755); err != nil {
		return err
	}
	if err := b.store.Relock(b.now()); err != nil {
		return err
	}
	b.store.Forget()
	whole, err := b.log.Rewrite()
	if err == nil && !whole {
		err = b.log.Add(record.Line{Turn: b.state.Turn, Time: b.now(), Type: record.WrittenBack, State: &b.state})
		if err == nil && b.begun {
			err = b.log.Add(record.Line{Turn: b.state.Turn + 1, Time: b.now(), Type: record.TurnStarted})
		}
	}
	for name, data := range b.files {
		if _, missing := os.Lstat(b.store.Path(name)); gone(missing) {
			err = errors.Join(err, b.store.Write(name, data))
		}
	}
	if b.baseline != nil {
		err = errors.Join(err, b.store.WriteJSON(layout.SnapshotFile, written(b.state.Run, b.baseline.Turn, b.baseline.Snapshot)))
	}
	return errors.Join(err, b.store.WriteJSON(layout.CallsFile, b.calls), b.publish("running", b.action("executing"), ""))
}
