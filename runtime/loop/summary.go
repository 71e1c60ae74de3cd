package loop

import (
	"context"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/layout"
)

// Summary is what a run has done, resumed or not.
type Summary struct {
	Turns   int           `json:"turns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	CostUSD float64       `json:"cost_usd"`
	Tokens  event.Tokens  `json:"tokens,omitzero"`

	Commits int `json:"commits"` // since the run began, whoever made them
	Files   int `json:"files"`   // that these commits changed
	Added   int `json:"added"`   // lines
	Removed int `json:"removed"` // lines
	Dirty   int `json:"dirty"`   // files that are not committed as they are

	Git    bool   `json:"git"`              // the five above are known
	Branch string `json:"branch,omitempty"` // of --worktree
	Dir    string `json:"dir,omitempty"`    // where it is checked out, from the project
	Main   string `json:"main,omitempty"`   // branch that it follows
}

// summaryTimeout bounds how long the end of a run may wait for git.
const summaryTimeout = 10 * time.Second

// summary is nil for a run that took no turn. That git cannot tell is no reason
// to fail at the end.
func (l *Loop) summary(ctx context.Context) *Summary {
	s := &l.state
	if s.Turn == 0 {
		return nil
	}
	sum := &Summary{Turns: s.Turn, Elapsed: l.elapsed(), CostUSD: s.CostUSD, Tokens: s.Tokens}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	if w := l.work; w != nil {
		sum.Branch, sum.Main = w.Branch, w.Main
		sum.Dir = layout.Worktree(w.Branch)
	}
	if l.tree != nil && l.tree.Repo != nil {
		sum.Git = l.differences(ctx, sum) == nil
	}
	return sum
}

// differences counts what became of the tree. A branch that was rebased meanwhile
// is compared with where it leaves the one that it follows.
func (l *Loop) differences(ctx context.Context, sum *Summary) (err error) {
	r, from := l.tree.Repo, l.state.Start // "": the first turn found no commit
	if l.work != nil {
		if from, err = r.Base(ctx, l.work.Main); err != nil {
			return err
		}
	}
	d, err := r.Since(ctx, from)
	if err != nil {
		return err
	}
	sum.Commits, sum.Files, sum.Added, sum.Removed = d.Commits, d.Files, d.Added, d.Removed
	now, err := l.tree.Snapshot(ctx)
	for name := range now.Files {
		if isWork(l.tree, []string{name}) {
			sum.Dirty++
		}
	}
	return err
}
