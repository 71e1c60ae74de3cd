package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/config"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// open takes the lock and reads everything. closeAll is never nil.
func (l *Loop) open(ctx context.Context) (closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for i := range closers {
			_ = closers[len(closers)-1-i]() // what matters was synced
		}
	}
	project, err := filepath.Abs(l.o.Project)
	if err != nil {
		return closeAll, err
	}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real // the name that the agent and git have for it
	}
	l.o.Project, l.store = project, journal.NewStore(project, l.o.Believable)
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
	if err := l.restore(); err != nil {
		return closeAll, errors.Join(err, l.status("error", "starting", ReasonError))
	}
	l.restored = true
	if err := l.project("running", "starting", ""); err != nil {
		return closeAll, err
	}
	return closeAll, l.openTrees(ctx)
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

// openTrees finds out where the agent works and how changes are seen.
func (l *Loop) openTrees(ctx context.Context) error {
	dir := l.o.Project
	r, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	c := l.o.Config
	if err := needsGit(ctx, c, dir, r); err != nil {
		return err
	}
	if c.Tag && !c.Commit {
		l.note("--tag without --commit tags only what the agent commits itself")
	}
	if c.Worktree != "" {
		if err := l.unmake(ctx, r); err != nil {
			return err
		}
		if l.work, err = l.openWorktree(ctx, r); err != nil {
			return worktreeStop(err)
		}
		dir = l.work.Dir()
		if h := l.store.Holder(); h.PID == os.Getpid() {
			h.Dir, _ = filepath.Rel(l.o.Project, dir) // it lies inside
			l.store.Sign(h)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if l.tree, err = openTree(ctx, dir); err != nil || !c.Commit && !c.Tag {
		return err
	}
	if err := l.release(ctx); err != nil {
		return gitStop("commit", err)
	}
	return l.ready(ctx)
}

// needsGit is the stop for a setting that needs a repository where there is none.
func needsGit(ctx context.Context, c *config.Config, dir string, r *git.Repo) error {
	if r != nil || !c.Commit && !c.Tag && c.Worktree == "" {
		return nil
	}
	s := &Stop{
		Reason: ReasonNoRepository, Why: "The project is in no git repository, which commits, tags and a working tree of its own need.",
		Do: "run `git init` in the project",
	}
	if _, err := exec.LookPath("git"); err != nil {
		s = &Stop{Reason: ReasonGitMissing, Why: "Git is not installed, and commits, tags and a working tree of its own need it.", Do: "install git", Err: err}
	} else if git.Bare(ctx, dir) {
		s.Why = "The project is inside of a git repository's own directory, a bare one or .git, and commits, tags and a working tree of its own need files."
		s.Do = "make a working tree with `git worktree add ../DIR` and run ripple there"
	}
	return s
}

// restore makes the state: of the run that is gone on with, or of a new one,
// which starts with what the files say.
func (l *Loop) restore() error {
	if _, damaged, err := l.store.ReadJSON(layout.CallsFile, &l.calls, func() bool { return true }); err != nil {
		return err
	} else if damaged != "" {
		l.calls = window{}
		l.noteDamage(damaged)
	}
	if l.o.Resume {
		found, err := l.log.Recover(l.now())
		if err != nil {
			return err
		}
		if found.State != nil {
			l.resume(found)
			return nil
		}
		l.note("there is no run to go on with; a new one begins")
	}
	return l.begin()
}

func (l *Loop) resume(found journal.Left) {
	l.state, l.begun, l.told = *found.State, found.Begun, found.Stopped
	l.state.Moves = nil
	l.who = l.member(l.state.Agent)
	l.earlier = time.Duration(l.state.Millis) * time.Millisecond
	if found.Stopped != nil {
		if found.Stopped.Reason == ReasonInterrupted && found.Begun {
			l.resetSession("manual_interrupt")
		}
		goOn(&l.state)
	}
	if l.o.Config.AutoReset && l.state.Breaker.State != record.Closed {
		(*breaker)(&l.state.Breaker).close()
		l.state.Memory = record.Memory{}
	}
}

func (l *Loop) begin() error {
	if turn := l.log.CutOff(); turn > 0 {
		l.note(fmt.Sprintf("the run before was cut off in or after turn %d, and `ripple run --resume` would have gone on with it; this is a new run", turn))
	}
	now := l.now()
	s := record.State{Run: record.Stamp(now)}
	found, damaged, err := l.store.ReadJSON(layout.BreakerFile, &s.Breaker, s.Breaker.Valid)
	if err != nil {
		return err
	}
	if l.noteDamage(damaged); !found {
		s.Breaker = record.Breaker{State: record.Closed}
	}
	(*breaker)(&s.Breaker).begin(l.o.Config.AutoReset)
	if s.Session, damaged, err = l.store.LoadSession(); err != nil {
		return err
	}
	l.noteDamage(damaged)
	if s.Used, err = l.log.UsedIn(s.Session.ID); err != nil {
		return err
	}
	l.state = s
	return l.log.Add(record.Line{Time: now, Type: record.RunStarted, State: &l.state})
}

func (l *Loop) noteDamage(name string) {
	if name != "" {
		l.note(fmt.Sprintf("the file was damaged and is now %s; the loop begins without it", l.store.Path(name)))
	}
}
