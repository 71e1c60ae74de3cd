package loop

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/record"
)

// Summary is what a run has done, including the parts before it was resumed.
type Summary = record.Summary

// summaryTimeout bounds how long the end of a run may wait for git.
const summaryTimeout = 10 * time.Second

// summary returns nil for a run that took no turn. Errors of git are ignored: they must not
// make a finished run fail.
func (w *workspace) summary(ctx context.Context) *Summary {
	s := &w.state
	if s.Turn == 0 {
		return nil
	}
	sum := totals(s, w.elapsed())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	if of := w.worktree; of != nil {
		sum.Branch, sum.Main = of.Branch, of.Main
		sum.Dir = layout.Worktree(of.Branch)
	}
	if w.checkouts.agent != nil {
		sum.Git = w.gitSummary(ctx, sum) == nil
	}
	return sum
}

// totals returns what the state of a run says about it.
func totals(s *record.State, elapsed time.Duration) *Summary {
	return &Summary{Turns: s.Turn, Elapsed: elapsed, CostUSD: s.CostUSD, Tokens: s.Tokens, Failures: s.FailedTurns, Denied: s.Denied, Review: s.Review, ReviewMore: s.ReviewMore}
}

func (w *workspace) gitSummary(ctx context.Context, sum *Summary) error {
	now, err := w.snapshot(ctx)
	if err != nil { // the agent may have removed it; its commits are kept elsewhere
		return errors.Join(err, w.checkouts.summarizeWithout(ctx, sum))
	}
	sum.Dirty = dirtyFiles(w.tree, now)
	if err := w.checkouts.summarize(ctx, sum, now); err != nil || now.Head == "" {
		return err
	}
	if m := sum.Moved; m != nil && m.Ahead == 0 {
		return nil
	}
	return w.differences(ctx, sum, now.Head)
}

// dirtyFiles counts the files with uncommitted changes in a snapshot.
func dirtyFiles(t *git.Tree, now git.Snapshot) (n int) {
	for name := range now.Files {
		if isWork(t, []string{name}) {
			n++
		}
	}
	return n
}

// differences counts the commits of the run and their changes. In a worktree, the commits since the
// merge base with the branch that it follows count, because the worktree may have been rebased. now is the commit that is checked
// out.
func (w *workspace) differences(ctx context.Context, sum *Summary, now string) error {
	r, from, head := w.tree.Repo, w.state.Start, "HEAD" // "": the first turn found no commit
	if w.worktree != nil && sum.Moved == nil {          // in a rebase, HEAD has only the commits that are already rebased
		head = git.Branch(sum.Branch)
	}
	if w.worktree != nil {
		base, err := r.Base(ctx, sum.Main, head)
		if _, none := errors.AsType[*git.Error](err); err != nil && !none {
			return err
		}
		from = cmp.Or(base, from) // "": there is no common commit
	}
	var d git.Differences
	var err error
	if from != now || sum.Rebase {
		d, err = w.committedSince(ctx, from, head)
	}
	sum.Commits, sum.Files, sum.Added, sum.Removed = d.Commits, d.Files, d.Added, d.Removed
	if err != nil || w.worktree == nil || sum.Moved != nil {
		return err
	}
	w.compare(ctx, sum)
	return nil
}

// committedSince returns what was committed since a commit, or, if the agent has rewritten it, since the run began.
func (w *workspace) committedSince(ctx context.Context, from, head string) (d git.Differences, err error) {
	r := w.tree.Repo
	d, err = r.Since(ctx, from, head)
	if !git.Ended(err) || from == "" {
		return d, err
	}
	if there, thereErr := r.Exists(ctx, from); thereErr != nil || there {
		return d, err
	}
	began, err := time.Parse(record.StampLayout, w.state.Run)
	if err == nil {
		from, err = r.Before(ctx, began)
	}
	if err != nil {
		return d, err
	}
	return r.Since(ctx, from, head)
}

// compare finds the commits of the working tree of which the branch that it follows has the commits
// themselves or copies. If git fails, the counts of commits are unchanged.
func (w *workspace) compare(ctx context.Context, sum *Summary) {
	if sum.Rebase { // some commits are already rebased
		return
	}
	if sum.Commits == 0 {
		sum.Merged, _ = w.checkouts.merged(ctx, sum.Main)
		return
	}
	copied, others, err := w.tree.Repo.Copied(ctx, git.Branch(sum.Branch), sum.Main)
	if err != nil || copied == 0 {
		return
	}
	if others == 0 { // Main may have reverted the copies since
		if there, err := w.tree.Repo.HasContents(ctx, git.Branch(sum.Branch), sum.Main, sum.Main); err != nil || !there {
			return
		}
	}
	sum.Copied, sum.Commits = copied, others
	if others == 0 {
		sum.Files, sum.Added, sum.Removed = 0, 0, 0
	}
}
