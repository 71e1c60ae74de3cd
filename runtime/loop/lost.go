package loop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
)

// theirs are the files under Dir that people and agents write. They are written back
// when the whole directory was removed, and not when one of them was.
var theirs = []string{layout.PromptFile, layout.PlanFile, layout.AgentFile, layout.RCFile, layout.IgnoreFile}

// remember keeps what cannot be made from the state.
func (l *Loop) remember(turn int, before git.Snapshot) {
	l.before, l.theirs = &begunWith{Turn: turn, Snapshot: before}, map[string][]byte{}
	for _, name := range theirs {
		if data, err := layout.ReadFile(l.store.path(name)); err == nil { // one that is not there is not written back
			l.theirs[name] = data
		}
	}
}

// mend writes the loop's directory back when somebody removed it while the loop
// runs: `git clean -fdx`, `git stash -ua`, `rm -rf .ralph`. The events are read from
// the file that is still open; if that was emptied, they begin anew with the state.
func (l *Loop) mend() error {
	if !l.log.lost() && !l.store.unlocked() {
		return nil
	}
	if _, err := os.Stat(l.o.Project); err != nil {
		return &Stop{
			Reason: ReasonError, ExitCode: ExitFailed, Why: sentence("The project's directory was removed while the loop ran, and the loop's record with it: " + err.Error()),
			Next: "Bring the project back; ripple run then begins a new loop.",
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
		Reason: ReasonError, ExitCode: ExitFailed, Why: sentence(layout.Dir + " was removed while the loop ran and cannot be written back: " + err.Error()),
		Next: "The record of this run is lost, the work is in the tree; put the cause right, then ripple run begins a new loop.",
	}
}

func (l *Loop) writeBack() error {
	if err := os.MkdirAll(l.store.path(layout.LogsDir), 0o755); err != nil {
		return err
	}
	if err := l.store.relock(l.now()); err != nil {
		return err
	}
	l.store.written = nil
	whole, err := l.log.rewrite(l.store.path(layout.EventsFile))
	if err == nil && !whole {
		err = l.log.add(line{Turn: l.state.Turn, Time: l.now(), Type: writtenBack, State: &l.state})
		if err == nil && l.begun {
			err = l.log.add(line{Turn: l.state.Turn + 1, Time: l.now(), Type: turnStarted})
		}
	}
	for name, data := range l.theirs {
		if _, missing := os.Lstat(l.store.path(name)); gone(missing) {
			err = errors.Join(err, l.store.write(name, data))
		}
	}
	if l.before != nil {
		err = errors.Join(err, l.store.writeJSON(layout.SnapshotFile, written(l.state.Run, l.before.Turn, l.before.Snapshot)))
	}
	return errors.Join(err, l.store.writeJSON(layout.CallsFile, l.calls), l.project("running", l.action("executing"), ""))
}

// lost says whether what the journal writes to is no longer what its name leads to,
// or not all of it.
func (j *journal) lost() bool {
	open, err := j.f.Stat()
	if err != nil {
		return true
	}
	named, err := os.Stat(j.f.Name())
	return err != nil || !os.SameFile(open, named) || j.cut
}

// rewrite puts the journal under its name again. False: lines of it are lost.
func (l *log) rewrite(path string) (whole bool, err error) {
	whole = !l.cut
	f, err := os.CreateTemp(filepath.Dir(path), layout.TempMark+"*")
	if err != nil {
		return whole, err
	}
	_, err = io.Copy(f, io.NewSectionReader(l.f, 0, l.size))
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return whole, errors.Join(err, os.Remove(f.Name()))
	}
	j, err := openJournal(path)
	if err != nil {
		return whole, err
	}
	_ = l.f.Close() // all that was in it was copied
	l.journal = j
	return whole, nil
}

// refit finds the end of a journal that somebody shortened.
func (j *journal) refit() error {
	info, err := j.f.Stat()
	if err != nil || info.Size() >= j.size {
		return err
	}
	j.cut = true
	size, err := wholeLines(j.f)
	if err != nil {
		return fmt.Errorf("%s was shortened while the loop ran: %w", j.f.Name(), err)
	}
	return j.truncate(size)
}
