package git

import (
	"context"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Nested is another working tree of the repository, in a directory of this one.
type Nested struct {
	Dir    string // relative to the top of this one
	Branch string // "": none, its HEAD is detached
	Commit string
}

// Nested lists the working trees in the directory of this one. If git ignores their directory, `git worktree remove` of this one
// removes them without a question.
func (w *Worktree) Nested(ctx context.Context) (list []Nested, err error) {
	top, err := filepath.EvalSymlinks(w.Top) // git lists real names
	if err != nil {
		return nil, err
	}
	out, err := command(ctx, w.Top, gitWorktree, "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\n\n") {
		var n Nested
		for line := range strings.Lines(entry) {
			switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); key {
			case "worktree":
				n.Dir, _ = projectfile.Relative(top, value)
			case "HEAD":
				n.Commit = value
			case "branch":
				n.Branch = strings.TrimPrefix(value, "refs/heads/")
			}
		}
		if n.Dir != "" && n.Dir != "." && there(filepath.Join(top, n.Dir)) {
			list = append(list, n)
		}
	}
	return list, nil
}
