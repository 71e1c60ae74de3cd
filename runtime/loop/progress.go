package loop

import (
	"errors"
	"io/fs"
	"slices"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
)

// isWork says whether one of these files is more than the loop's own: who only ticks
// boxes gets nowhere.
func isWork(t *git.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(name string) bool { return !layout.IsLoops(t.FromProject(name)) })
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
