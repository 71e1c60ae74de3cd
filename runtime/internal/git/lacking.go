package git

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Lacking lists what the project's working tree has and a linked one lacks. Names are relative to the top.
type Lacking struct {
	HooksPath  string   // core.hooksPath, if it has hooks and is only in the project: git runs none of them in the linked tree
	Hooks      []string // if the linked tree has a core.hooksPath, hooks of the project that are missing there
	Submodules []string // those without files
	Ignored    []string // files and directories that git ignores, such as node_modules and .env
}

// Lacking compares a working tree with that of the project. skip leaves out ignored names.
func (w *Worktree) Lacking(ctx context.Context, project *Repo, skip func(name string) bool) (a Lacking, err error) {
	if a.HooksPath, a.Hooks, err = w.absentHooks(ctx, project.Top); err != nil {
		return a, err
	}
	if a.Submodules, err = w.emptySubmodules(ctx, project.Top); err != nil {
		return a, err
	}
	a.Ignored, err = w.absentIgnored(ctx, project, skip)
	return a, err
}

// absentHooks returns core.hooksPath, if it is relative, has hooks in the project and is missing here, or else the
// hooks in it that are missing here. Files outside of the project are not named: the setting may have been written by an agent.
func (w *Worktree) absentHooks(ctx context.Context, project string) (path string, hooks []string, err error) {
	path = hooksPath(ctx, project)
	if path == "" || filepath.IsAbs(path) || !inside(project, path) {
		return "", nil, ctx.Err()
	}
	files, _ := os.ReadDir(filepath.Join(project, path)) // none, if it cannot be read
	for _, f := range files {
		name := filepath.Join(path, f.Name())
		if filepath.Ext(name) != ".sample" && isHook(filepath.Join(project, name)) && !isHook(filepath.Join(w.Top, name)) {
			hooks = append(hooks, filepath.ToSlash(name))
		}
	}
	if len(hooks) > 0 && !there(filepath.Join(w.Top, path)) {
		return path, nil, nil
	}
	return "", hooks, nil
}

// inside reports whether a directory, relative to the top of a working tree, is below it, with all links resolved.
func inside(top, name string) bool {
	realTop, topErr := filepath.EvalSymlinks(top)
	real, err := filepath.EvalSymlinks(filepath.Join(top, name))
	if topErr != nil || err != nil {
		return false
	}
	_, is := projectfile.Relative(realTop, real)
	return is
}

// isHook reports whether a file can be a hook: git ignores those that it cannot execute.
func isHook(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// emptySubmodules returns the submodules that have files in the project and none here.
func (w *Worktree) emptySubmodules(ctx context.Context, project string) ([]string, error) {
	names, err := w.submodules(ctx)
	return slices.DeleteFunc(names, func(name string) bool {
		return empty(filepath.Join(project, name)) || !empty(filepath.Join(w.Top, name))
	}), err
}

// submodules returns the names of the directories of submodules.
func (w *Worktree) submodules(ctx context.Context) (names []string, err error) {
	file := filepath.Join(w.Top, ".gitmodules")
	if !there(file) {
		return nil, ctx.Err()
	}
	out, err := command(ctx, w.Top, gitConfig, "--file", file, "--null", "--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		return nil, ctx.Err() // none of these is in it
	}
	for setting := range strings.SplitSeq(out, "\x00") {
		_, name, _ := strings.Cut(setting, "\n")
		if filepath.IsLocal(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// absentIgnored returns what git ignores in the project and is missing here.
func (w *Worktree) absentIgnored(ctx context.Context, project *Repo, skip func(name string) bool) ([]string, error) {
	names, err := ignored(ctx, project, skip)
	return slices.DeleteFunc(names, func(name string) bool { return there(filepath.Join(w.Top, name)) }), err
}

// ignored returns the files and directories that git ignores.
func ignored(ctx context.Context, r *Repo, skip func(name string) bool) (names []string, err error) {
	out, err := r.run(ctx, call{}, gitStatus, "--porcelain", "-z", "--ignored=traditional", "--untracked-files=normal", "--ignore-submodules=all")
	for entry := range strings.SplitSeq(out, "\x00") {
		name, ignored := strings.CutPrefix(entry, "!! ")
		if name = strings.TrimSuffix(name, "/"); ignored && IsName(name) && !throughLink(r.Top, name) && !skip(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// empty reports whether a directory is missing or has no entries.
func empty(dir string) bool {
	entries, _ := os.ReadDir(dir) // a directory that cannot be read has none
	return len(entries) == 0
}
