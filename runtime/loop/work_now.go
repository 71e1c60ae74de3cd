package loop

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// WorkNow returns the work of a run that does not run, with what the repository shows now: since a run stopped, a user may have merged
// its branches or committed what it left. The work of a run that was killed has only the counts, and those of git only if Git is set; it is
// nil if no turn ended. If git fails, for example because the branch is gone, the result is as in r.Work. Nothing is changed, and git runs no
// program: nobody may have approved the project, and an agent in a box may have written its files. So if git's settings have a filter,
// uncommitted files are not counted again, and the work of a killed run has no counts of git.
func WorkNow(ctx context.Context, project string, r journal.Run) *Summary {
	before, killed := r.Work, r.Work == nil
	switch {
	case r.State == nil, killed && r.State.Turn == 0, !killed && !before.Git:
		return before
	case killed:
		before = totals(r.State, time.Duration(r.ElapsedMS)*time.Millisecond)
		before.Branch, before.Dir = r.Branch, r.Dir
	}
	ctx, cancel := context.WithTimeout(ctx, summaryTimeout)
	defer cancel()
	sum := *before
	w, err := openToLook(ctx, project, &sum, r.State)
	switch {
	case err != nil:
	case killed:
		err = w.leftByKill(ctx, &sum)
	case sum.Branch == "":
		err = w.mergedHere(ctx, &sum)
	default:
		err = w.mergedSince(ctx, &sum)
	}
	if err != nil {
		return before
	}
	return &sum
}

// leftByKill adds to the summary of a killed run what git shows of it, if the branch with which it began is still checked out.
func (w *workspace) leftByKill(ctx context.Context, sum *Summary) (err error) {
	var now git.Snapshot
	began := w.state.Checkouts.First
	if w.worktree == nil {
		now, err = w.tree.Snapshot(ctx)
	} else {
		began = &sum.Branch
		if sum.Main, err = w.tree.Repo.CheckedOut(ctx); err != nil {
			return err
		}
		w.worktree.Main = sum.Main
		now, err = w.snapshotOf(ctx, sum.Branch)
	}
	if err != nil {
		return err
	}
	if began == nil || now.Branch != *began || now.BranchUnknown {
		return errNoBranch
	}
	sum.Git, sum.Dirty = true, dirtyFiles(w.tree, now)
	if now.Head == "" {
		return nil
	}
	return w.differences(ctx, sum, now.Head)
}

var errNoBranch = errors.New("the branch is gone, or another one is checked out")

// openToLook returns the workspace of a run that does not run. Its tree is the project's. The record is not trusted.
func openToLook(ctx context.Context, project string, sum *Summary, state *record.State) (*workspace, error) {
	project, err := filepath.Abs(project)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	repo, err := git.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	repo.NoFilters = true
	r := &run{project: project, store: journal.NewStore(project, nil), state: *state}
	if there, err := repo.Exists(ctx, r.state.Start); err != nil || !there { // it may be an option of git
		r.state.Start = ""
	}
	w := &workspace{run: r, tree: repo.Tree(project, layout.IsRecord)}
	w.checkouts = &checkouts{run: r, work: w, agent: &followed{tree: w.tree}}
	if sum.Branch != "" {
		w.worktree = &git.Worktree{Repo: repo, Branch: sum.Branch, Main: sum.Main}
		w.checkouts.project = w.checkouts.agent
	}
	return w, nil
}

// mergedSince updates the summary of a run in a working tree of its own.
func (w *workspace) mergedSince(ctx context.Context, sum *Summary) error {
	f := w.checkouts.finder(ctx, sum)
	switch m := sum.Moved; {
	case sum.Rebase || sum.Main == "":
		return nil
	case m != nil && m.To.Branch != "" && m.To.Branch != sum.Main && m.Ahead > 0 && f.ahead(git.Branch(m.To.Branch), sum.Main) == 0: // merged, or the branch is gone
		merged := *m
		merged.Ahead, sum.Moved = 0, &merged
		sum.Commits, sum.Files, sum.Added, sum.Removed = 0, 0, 0, 0
		return f.err
	case m != nil:
		return f.err
	}
	head, err := w.tree.Repo.Commits(ctx, 1, git.Branch(sum.Branch))
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return w.mergedAndRemoved(ctx, sum)
	}
	if sum.Dirty > 0 {
		if now, err := w.snapshotOf(ctx, sum.Branch); err == nil { // otherwise the tree is gone, or cannot be read
			sum.Dirty = dirtyFiles(w.tree, now)
		}
	}
	sum.Others = stillOthers(sum.Others, f.others(append(w.state.Checkouts.Branches, sum.Branch), sum.Branch, head[0], sum.Main))
	sum.Copied, sum.Merged = 0, false
	return cmp.Or(f.err, w.stillUnkept(ctx, sum), w.differences(ctx, sum, head[0]))
}

// mergedAndRemoved updates the summary of a run whose branch is gone. Errors: errNoBranch if Main does not have the last commit that
// turns made, or if it may have been on another branch.
func (w *workspace) mergedAndRemoved(ctx context.Context, sum *Summary) error {
	made := w.state.Checkouts.Made
	if len(made) == 0 || len(sum.Others)+len(sum.Unkept) > 0 {
		return errNoBranch
	}
	if has, err := w.tree.Repo.ContainsAny(ctx, sum.Main, made[len(made)-1]); err != nil || !has {
		return cmp.Or(err, errNoBranch)
	}
	sum.Merged, sum.Copied = true, 0
	sum.Commits, sum.Files, sum.Added, sum.Removed = 0, 0, 0, 0
	return nil
}

// mergedHere updates the summary of a run in the user's own checkout. Its commits are counted again only if a branch was merged, because
// those that the user has made since count, too.
func (w *workspace) mergedHere(ctx context.Context, sum *Summary) error {
	if sum.Moved == nil && len(sum.Others)+len(sum.Unkept) == 0 {
		return nil
	}
	head, err := w.tree.Repo.Head(ctx)
	if err != nil {
		return err
	}
	branch, err := w.tree.Repo.CheckedOut(ctx)
	if err != nil {
		return err
	}
	f := w.checkouts.finder(ctx, sum)
	if m := sum.Moved; m != nil && m.From.Branch == branch && (m.To.Commit == "" || f.ahead(m.To.Commit, head) == 0) { // the user went back
		sum.Moved = nil
	}
	others := stillOthers(sum.Others, f.others(append(w.state.Checkouts.Branches, branch), branch, head, ""))
	if err := cmp.Or(f.err, w.stillUnkept(ctx, sum)); err != nil || len(others) == len(sum.Others) {
		return err
	}
	sum.Others = others
	return w.differences(ctx, sum, head)
}

// stillOthers returns those of some branches that still have commits to merge.
func stillOthers(before, now []record.Other) (list []record.Other) {
	for _, o := range now {
		if slices.ContainsFunc(before, func(b record.Other) bool { return b.Branch == o.Branch }) {
			list = append(list, o)
		}
	}
	return list
}

// stillUnkept removes from a summary the commits that are on a branch now.
func (w *workspace) stillUnkept(ctx context.Context, sum *Summary) error {
	var commits []string
	for _, u := range sum.Unkept {
		commits = append(commits, u.Commit)
	}
	commits, err := w.tree.Repo.Unkept(ctx, commits)
	sum.Unkept = slices.DeleteFunc(slices.Clone(sum.Unkept), func(u record.Unkept) bool { return !slices.Contains(commits, u.Commit) })
	return err
}

// snapshotOf returns the state of the working tree of a branch, if that is checked out there.
func (w *workspace) snapshotOf(ctx context.Context, branch string) (s git.Snapshot, err error) {
	dir := worktreeDir(w.project, branch)
	if err := w.confined(dir); err != nil {
		return s, err
	}
	tree, err := w.tree.Repo.OpenWorktree(ctx, dir, branch, func(func() error) error { return git.ErrNoRepository })
	if err != nil {
		return s, err
	}
	return tree.Tree(tree.Dir(), layout.IsRecord).Snapshot(ctx)
}
