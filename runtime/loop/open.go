package loop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/journal"
)

// open locks the project and reads the loop's files. closeAll is never nil.
func (l *Loop) open(ctx context.Context) (closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for i := range closers {
			_ = closers[len(closers)-1-i]() // the record was synced
		}
	}
	if l.config.Box && l.o.Box == nil {
		return closeAll, &Stop{Reason: ReasonUsage, Message: "The settings ask for a box, but the loop was opened without one."}
	}
	project, err := filepath.Abs(l.project)
	if err != nil {
		return closeAll, err
	}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real // the name that the agent and git have for it
	}
	l.project, l.store = project, journal.NewStore(project, l.o.BeforeWrite)
	if err := layout.Check(project); err != nil {
		return closeAll, err
	}
	if l.o.Resume {
		if _, err := journal.ReadBegan(project); errors.Is(err, journal.ErrNoRun) {
			return closeAll, noRun()
		}
	}
	if _, err := l.readPrompt(); err != nil {
		return closeAll, err
	}
	if err := l.store.Make(); err != nil {
		return closeAll, err
	}
	unlock, err := l.store.Lock(l.now())
	if err != nil {
		return closeAll, err
	}
	closers = append(closers, unlock)
	if before := l.o.BeforeUnlock; before != nil {
		closers = append(closers, func() error { before(); return nil })
	}
	if err := l.store.Sweep(); err != nil {
		return closeAll, err
	}
	if l.log, err = l.store.OpenLog(); err != nil {
		return closeAll, err
	}
	closers = append(closers, l.log.Close)
	if err := l.restore(l.o.Resume); err != nil {
		return closeAll, errors.Join(err, l.status("error", "starting", ReasonError))
	}
	l.restored = true
	l.team.who = l.team.member(l.state.Agent)
	if layout.TwoPlans(l.store.Files()) {
		l.note(fmt.Sprintf("both %[1]s/%[2]s and %[1]s/%[3]s exist: %[2]s is the plan, and %[3]s is ignored", layout.Dir, layout.PlanFile, layout.BarePlanFile))
	}
	if err := l.publish("running", "starting", ""); err != nil {
		return closeAll, err
	}
	if err := l.work.open(ctx); err != nil {
		return closeAll, err
	}
	return closeAll, l.committer.open(ctx)
}
