package loop

import (
	"errors"
	"os"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// backup restores the loop's directory if it is removed while the loop runs.
type backup struct {
	*run
	baseline *baseline // before the turn
	files    map[string][]byte
}

// remember reads the files that cannot be derived from the state. They are restored if the whole
// directory was removed, but not if a single file was.
func (b *backup) remember(before *baseline) {
	b.baseline, b.files = before, map[string][]byte{}
	for _, name := range append([]string{layout.MarkFile}, layout.Written...) {
		if data, err := layout.Read(b.project, name); err == nil { // a missing file is not restored
			b.files[name] = data
		}
	}
}

// mend restores the loop's directory if it was removed while the loop runs: `git clean -fdx`,
// `git stash -ua`, `rm -rf .ralph`. The events are read from the file that is still open; if that
// was truncated, they start again with the state.
func (b *backup) mend() error {
	if !b.log.Lost() && !b.store.Unlocked() {
		return nil
	}
	if _, err := os.Stat(b.project); err != nil {
		return &Stop{
			Reason: ReasonError, Err: err, Message: sentence("The project's directory, with the loop's record, was renamed or removed while the loop ran: " + err.Error()),
			Fix: "put the project's directory back",
		}
	}
	if err := b.writeBack(); err != nil {
		return lostStop(err)
	}
	b.note(layout.Dir + " was removed or emptied while the loop ran (git clean, git stash, rm); it was restored without the older logs")
	return nil
}

func lostStop(err error) error {
	if stop := stopFor(err); stop.Reason == ReasonLocked {
		return stop
	}
	return &Stop{
		Reason: ReasonError, RecordLost: true, Err: err, Message: sentence(layout.Dir + " was removed while the loop ran and cannot be written back: " + err.Error()),
		Fix: "fix the cause; the record of this run is lost, the work is in the tree",
	}
}

func (b *backup) writeBack() error {
	if err := b.store.Files().Mkdir(layout.LogsDir, 0o777); err != nil {
		return err
	}
	if err := b.store.Relock(b.now()); err != nil {
		return err
	}
	b.store.Forget()
	whole, err := b.log.Rewrite()
	if err == nil && !whole {
		err = b.log.Add(record.Line{Turn: b.state.Turn, Time: b.now(), Type: record.WrittenBack, Settings: b.settings, State: b.stateNow()})
		if err == nil && b.inTurn {
			err = b.log.Add(record.Line{Turn: b.state.Turn + 1, Time: b.now(), Type: record.TurnStarted})
		}
	}
	for name, data := range b.files {
		if !b.store.Files().Exists(name) {
			err = errors.Join(err, b.store.Write(name, data))
		}
	}
	if b.baseline != nil {
		err = errors.Join(err, b.store.WriteJSON(layout.SnapshotFile, b.baseline))
	}
	return errors.Join(err, b.store.WriteJSON(layout.CallsFile, b.calls), b.publish("running", b.action("executing"), ""))
}
