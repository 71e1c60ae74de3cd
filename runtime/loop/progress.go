package loop

import (
	"errors"
	"io/fs"
	"slices"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
)

// isWork reports whether any of the files is not a loop file: checking boxes alone is not
// progress.
func isWork(t *git.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(name string) bool { return !layout.IsLoops(t.FromProject(name)) })
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
