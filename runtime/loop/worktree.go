package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/proctree"
)

// worktreeDir returns the directory of a branch's files.
func worktreeDir(project, branch string) string {
	return filepath.Join(project, filepath.FromSlash(layout.Worktree(branch)))
}

// openWorktree creates or reuses the working tree of a branch.
func (w *workspace) openWorktree(ctx context.Context, r *git.Repo) (*git.Worktree, error) {
	branch := w.config.Worktree
	dir := worktreeDir(w.project, branch)
	if err := w.confined(dir); err != nil {
		return nil, err
	}
	tree, err := r.OpenWorktree(ctx, dir, branch, func(makes func() error) error {
		if w.config.Commit { // otherwise a run that cannot commit leaves a branch and a directory
			if err := r.Identity(ctx); err != nil {
				return err
			}
		}
		return w.create(dir, makes)
	})
	if _, other := errors.AsType[*git.Conflict](err); other && tree != nil && w.leftByRun(ctx, tree) {
		err = nil
	}
	return tree, err
}

// leftByRun reports whether a working tree with another branch is as a run left it that was killed. That run continues there, as it
// would have without the kill. The end of any other run said how its commits come to the branch.
func (w *workspace) leftByRun(ctx context.Context, tree *git.Worktree) bool {
	if w.stopped != nil || w.begun() {
		return w.stopped == nil
	}
	last := w.state.Checkouts.Last
	if w.state.Turn == 0 || last == nil {
		return false
	}
	name, err := tree.CheckedOut(ctx)
	return err == nil && (name == *last || *last == "" && !tree.HasBranch(ctx, name))
}

// noteAbsent reports what the project's checkout has and the working tree lacks, before an agent or a
// check misses it.
func (w *workspace) noteAbsent(ctx context.Context, project *git.Repo) error {
	own := func(name string) bool {
		_, inside := projectfile.Relative(w.store.Path(""), filepath.Join(project.Top, name))
		return inside
	}
	a, err := w.worktree.Lacking(ctx, project, own)
	if err != nil {
		return err
	}
	dir := layout.Worktree(w.config.Worktree)
	if a.HooksPath != "" {
		w.noteAbout(TopicHooks, fmt.Sprintf("core.hooksPath %s is not in %s: no git hook runs there", record.OneLine(a.HooksPath, 200), dir))
	}
	if len(a.Hooks) > 0 {
		w.noteAbout(TopicHooks, fmt.Sprintf("hooks of core.hooksPath that are not in %s do not run there: %s", dir, record.FirstNames(a.Hooks)))
	}
	if len(a.Submodules) > 0 {
		w.noteAbout(TopicSubmodules, fmt.Sprintf("submodules without files in %s: %s", dir, record.FirstNames(a.Submodules)))
	}
	if len(a.Ignored) > 0 {
		w.noteAbout(TopicIgnored, fmt.Sprintf("ignored by git, so not in %s: %s", dir, record.FirstNames(a.Ignored)))
	}
	return nil
}

// confined returns an error if a working tree's files would be outside the loop's directory,
// because of a link.
func (w *workspace) confined(dir string) error {
	rel, inside := projectfile.Relative(w.store.Path(""), dir)
	if !inside {
		return fmt.Errorf("%s leads out of %s", dir, w.store.Path(""))
	}
	if _, err := w.store.Files().Stat(rel); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// worktreeStop converts the error of an unusable branch to a stop; it returns other errors
// unchanged.
func worktreeStop(err error) error {
	if b, is := errors.AsType[*git.BranchError](err); is {
		return &Stop{Reason: ReasonBranch, Message: "The branch cannot be used: " + b.Why + ".", Fix: "name another branch", Err: err}
	}
	if errors.Is(err, git.ErrNoCommit) {
		return &Stop{Reason: ReasonNoRepository, Message: "The repository has no commit yet, and a branch needs one to start from.", Fix: "make a first commit", Err: err}
	}
	return err
}

// creation describes a working tree while git creates it. It is written before and removed after,
// so that it shows an incomplete tree of a killed loop.
type creation struct {
	By     proctree.Process `json:"by"`
	Dir    string           `json:"dir"` // did not exist before
	Branch string           `json:"branch"`
}

func (w *workspace) create(dir string, add func() error) error {
	by, _ := proctree.Find(os.Getpid()) // unknown on other systems
	if err := w.store.WriteJSON(layout.MakingFile, creation{by, dir, w.config.Worktree}); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	return w.store.Remove(layout.MakingFile)
}

// prune removes an incomplete working tree of a killed loop: nobody has worked in it. Its files
// are moved to the logs nevertheless.
func (w *workspace) prune(ctx context.Context, r *git.Repo) error {
	note, err := w.store.Files().Stat(layout.MakingFile)
	if gone(err) {
		return nil
	}
	var m creation
	found, _, rerr := w.store.ReadJSON(layout.MakingFile, &m, func() bool { return m.Dir != "" && m.Branch != "" })
	if err := errors.Join(err, rerr); err != nil || !found {
		return err
	}
	name, inside := projectfile.Relative(w.store.Path(""), m.Dir)
	if !inside || m.Dir != worktreeDir(w.project, m.Branch) { // not written by a loop in this project
		return w.store.Remove(layout.MakingFile)
	}
	aside := fmt.Sprintf("%s/worktree_%s_cut", layout.LogsDir, record.Stamp(w.now()))
	err = w.store.Files().Rename(name, aside)
	for n := 2; errors.Is(err, fs.ErrExist); n++ { // from a loop that was killed in the same second
		err = w.store.Files().Rename(name, fmt.Sprintf("%s-%d", aside, n))
	}
	if err != nil && !gone(err) {
		return err
	}
	before := w.since
	if m.By.Start == 0 { // the creator is unknown: no lock is its own
		before = time.Time{}
	}
	if err := r.Forget(ctx, m.Dir, m.Branch, note.ModTime(), before); err != nil {
		return err
	}
	return w.store.Remove(layout.MakingFile)
}
