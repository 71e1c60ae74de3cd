package loop

import (
	"context"
	"time"

	"example.com/ripple/runtime/loop/layout"
	"example.com/ripple/runtime/loop/record"
)

// Summary is what a run has done, resumed or not.
type Summary = record.Summary

// summaryTimeout bounds how long the end of a run may wait for git.
const summaryTimeout = 10 * time.Second

// summary is nil for a run that took no turn. That git cannot tell is no reason
// to fail at the end.
func (w *workspace) summary(ctx context.Context) *Summary {
	s := &w.state
	if s.Turn == 0 {
		return nil
	}
	sum := &Summary{Turns: s.Turn, Elapsed: w.elapsed(), CostUSD: s.CostUSD, Tokens: s.Tokens, Denied: s.Denied, Review: s.Review}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	if of := w.worktree; of != nil {
		sum.Branch, sum.Main = of.Branch, of.Main
		sum.Dir = layout.Worktree(of.Branch)
	}
	if w.tree != nil && w.tree.Repo != nil {
		sum.Git = w.differences(ctx, sum) == nil
	}
	return sum
}

// differences counts what became of the tree. A branch that was rebased meanwhile
// is compared with where it leaves the one that it follows.
func (w *workspace) differences(ctx context.Context, sum *Summary) (err error) {
	r, from := w.tree.Repo, w.state.Start // "": the first turn found no commit
	if w.worktree != nil {
		if from, err = r.Base(ctx, w.worktree.Main); err != nil {
			return err
		}
	}
	d, err := r.Since(ctx, from)
	if err != nil {
		return err
	}
	sum.Commits, sum.Files, sum.Added, sum.Removed = d.Commits, d.Files, d.Added, d.Removed
	now, err := w.tree.Snapshot(ctx)
	for name := range now.Files {
		if isWork(w.tree, []string{name}) {
			sum.Dirty++
		}
	}
	return err
}
