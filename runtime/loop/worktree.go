package loop

import (
	"context"
	"errors"
	"path/filepath"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
)

// worktreeDir is where the files of a branch are.
func worktreeDir(project, branch string) string {
	return filepath.Join(project, filepath.FromSlash(layout.Worktree(branch)))
}

// openWorktree makes or reuses the working tree of --worktree.
func (l *Loop) openWorktree(ctx context.Context, r *git.Repo) (*git.Worktree, error) {
	branch := l.o.Config.Worktree
	dir := worktreeDir(l.o.Project, branch)
	return r.OpenWorktree(ctx, dir, branch, func(makes func() error) error { return l.make(dir, makes) })
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
