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

// WritableRepositories lists the directories of this working tree, relative to its top, that are working trees of repositories
// whose settings and hooks a program can change that may write in this one, except in .git/modules and .git/worktrees. Git enters
// them to look for changes, and then runs the programs that they name. Those in ignored directories are not listed.
func (r *Repo) WritableRepositories(ctx context.Context) (names []string, err error) {
	dirs, _, err := gitDirs(r.Top)
	if err != nil {
		return nil, err
	}
	add := func(name string) {
		at, err := gitDirIn(filepath.Join(r.Top, filepath.FromSlash(name)))
		if err != nil || at == "" {
			return // git reports it, or does not enter it
		}
		for _, d := range dirs {
			if below, is := projectfile.Relative(d, at); is && (strings.HasPrefix(below, "modules/") || strings.HasPrefix(below, "worktrees/")) {
				return
			}
		}
		names = append(names, name)
	}
	inner, err := repository{dir: r.Top}.withSubmodules(ctx)
	if err != nil {
		return nil, err
	}
	for _, at := range inner {
		if name, is := projectfile.Relative(r.Top, at.dir); is {
			add(name)
		}
	}
	others, err := command(ctx, r.Top, gitListFiles, "--others", "--exclude-standard", "-z")
	for name := range strings.SplitSeq(others, "\x00") {
		if dir, is := strings.CutSuffix(name, "/"); is { // git lists the files of other directories
			add(dir)
		}
	}
	return names, err
}
