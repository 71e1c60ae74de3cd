package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
	"ripple/runtime/proctree"
)

// worktreeDir is where the files of a branch are.
func worktreeDir(project, branch string) string {
	return filepath.Join(project, filepath.FromSlash(layout.Worktree(branch)))
}

// openWorktree makes or reuses the working tree of a branch.
func (w *workspace) openWorktree(ctx context.Context, r *git.Repo) (*git.Worktree, error) {
	branch := w.config.Worktree
	dir := worktreeDir(w.project, branch)
	return r.OpenWorktree(ctx, dir, branch, func(makes func() error) error { return w.create(dir, makes) })
}

// worktreeStop is the stop for a branch that cannot be worked on, else the error.
func worktreeStop(err error) error {
	if b, is := errors.AsType[*git.BranchError](err); is {
		return &Stop{Reason: ReasonBranch, Why: "The branch cannot be worked on: " + b.Why + ".", Do: "name another branch", Err: err}
	}
	if errors.Is(err, git.ErrNoCommit) {
		return &Stop{Reason: ReasonNoRepository, Why: "The repository has no commit yet, and a branch needs one to begin with.", Do: "commit something", Err: err}
	}
	return err
}

// creation is a working tree while git makes it. It is on the disk before and is
// removed after, so that a killed loop leaves it where the tree is not whole.
type creation struct {
	By     proctree.Process `json:"by"`
	Dir    string           `json:"dir"` // was not there
	Branch string           `json:"branch"`
}

func (w *workspace) create(dir string, add func() error) error {
	by, _ := proctree.Seen(os.Getpid()) // unknown elsewhere
	if err := w.store.WriteJSON(layout.MakingFile, creation{by, dir, w.config.Worktree}); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	return w.store.Remove(layout.MakingFile)
}

// prune takes back a working tree that a killed loop left half made: nobody has
// worked in it. What is there goes to logs, all the same.
func (w *workspace) prune(ctx context.Context, r *git.Repo) error {
	note, err := os.Stat(w.store.Path(layout.MakingFile))
	if gone(err) {
		return nil
	}
	var m creation
	found, _, rerr := w.store.ReadJSON(layout.MakingFile, &m, func() bool { return m.Dir != "" && m.Branch != "" })
	if err := errors.Join(err, rerr); err != nil || !found {
		return err
	}
	aside := filepath.Join(w.store.Path(layout.LogsDir), fmt.Sprintf("worktree_%s_cut", record.Stamp(w.now())))
	if err := os.Rename(m.Dir, aside); err != nil && !gone(err) {
		return err
	}
	before := w.since
	if m.By.Start == 0 { // nothing is known of who made it: no lock is its own
		before = time.Time{}
	}
	if err := r.Forget(ctx, m.Dir, m.Branch, note.ModTime(), before); err != nil {
		return err
	}
	return w.store.Remove(layout.MakingFile)
}
