package loop

import (
	"context"
	"slices"

	"ripple/runtime/internal/git"
)

// openTree takes snapshots of where the agent works, the loop's own files left out.
func openTree(ctx context.Context, dir string) (*git.Tree, error) {
	return git.OpenTree(ctx, dir, bookkeeping)
}

// isWork says whether one of these files is more than the loop's own: who only ticks
// boxes gets nowhere.
func isWork(t *git.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(name string) bool { return !ofLoop(t.FromProject(name)) })
}
