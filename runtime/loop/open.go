package loop

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
)

// open takes the lock and reads everything. closeAll is never nil.
func (l *Loop) open(ctx context.Context) (closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for i := range closers {
			_ = closers[len(closers)-1-i]() // what matters was synced
		}
	}
	project, err := filepath.Abs(l.project)
	if err != nil {
		return closeAll, err
	}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real // the name that the agent and git have for it
	}
	l.project, l.store = project, journal.NewStore(project, l.o.Believable)
	if err := layout.Check(project); err != nil {
		return closeAll, err
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
	if err := l.publish("running", "starting", ""); err != nil {
		return closeAll, err
	}
	if err := l.work.open(ctx); err != nil {
		return closeAll, err
	}
	return closeAll, l.committer.open(ctx)
}

// readPrompt reads PROMPT.md, each turn anew: people change it as they watch.
func (l *Loop) readPrompt() (string, error) {
	if l.o.Prompt != "" {
		return l.o.Prompt, nil
	}
	path := l.store.Path(layout.PromptFile)
	if l.o.PromptFile != "" {
		path = l.o.PromptFile
	}
	data, err := layout.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", l.noPrompt("There is no " + path + ".")
	case errors.Is(err, syscall.EISDIR):
		return "", l.noPrompt(path + " is a directory.")
	case err == nil && strings.TrimSpace(string(data)) == "":
		return "", l.noPrompt("Nothing is written in " + path + ".")
	}
	return string(data), err
}

func (l *Loop) noPrompt(why string) *Stop {
	s := &Stop{Reason: ReasonPromptMissing, Why: why}
	if l.o.PromptFile != "" {
		s.Do = "write the task into it, or name another file"
	}
	return s
}
