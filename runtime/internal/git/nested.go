package git

import (
	"context"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Nested is another working tree of the repository, or a submodule with files, in a directory of this working tree.
type Nested struct {
	Dir       string // relative to the top of this one
	Submodule bool
	Branch    string // of a working tree; "": none, its HEAD is detached
	Commit    string // of a working tree
}

// Nested lists the working trees in the directory of this one, and the submodules with files. If git ignores the directory of
// such a tree, `git worktree remove` of this one removes it without a question. With a submodule it needs --force, and then
// removes the submodule's repository, which belongs to this working tree.
func (w *Worktree) Nested(ctx context.Context) (list []Nested, err error) {
	if list, err = w.trees(ctx); err != nil {
		return nil, err
	}
	names, err := w.submodules(ctx)
	for _, name := range names {
		if there(filepath.Join(w.Top, name, ".git")) {
			list = append(list, Nested{Dir: filepath.ToSlash(name), Submodule: true})
		}
	}
	return list, err
}

// trees lists the working trees in the directory of this one.
func (w *Worktree) trees(ctx context.Context) (list []Nested, err error) {
	top, err := filepath.EvalSymlinks(w.Top) // git lists real names
	if err != nil {
		return nil, err
	}
	out, err := w.run(ctx, call{}, gitWorktree, "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\n\n") {
		var n Nested
		for line := range strings.Lines(entry) {
			line = strings.TrimSuffix(line, "\n")
			if path, is := strings.CutPrefix(line, "worktree "); is {
				n.Dir, _ = projectfile.Relative(top, path)
			} else if commit, is := strings.CutPrefix(line, "HEAD "); is {
				n.Commit = commit
			} else if branch, is := strings.CutPrefix(line, "branch refs/heads/"); is {
				n.Branch = branch
			}
		}
		if n.Dir != "" && n.Dir != "." && there(filepath.Join(top, n.Dir)) {
			list = append(list, n)
		}
	}
	return list, nil
}
