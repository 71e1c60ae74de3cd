package projectfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// marks are the files that make a directory a project even without a repository.
var marks = []string{".ripple", ".ralph", ".ralphrc", "ripple.yml"}

// Around returns the project that a user in a directory works in, without links: the top of the working tree around it, of any
// user, or the directory itself if it has files of ripple. Of nested trees, as of a submodule, it is the outermost, but none around
// the innermost that has a home directory of the system's list of users in it. There is none in
// a plain home directory.
//
// The project is the first of the result, which is empty if there is none. The others are the other working trees of the
// repository, such as the main one of a linked one, if they exist. A directory that cannot be resolved, as if its path without links is
// too long for the system, is in the project that has its name.
func Around(dir string) []string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	} else if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var trees []string // the innermost first
	for top := dir; ; top = filepath.Dir(top) {
		if HasGit(top) && (len(trees) == 0 || !holdsListedHome(top)) {
			trees = append(trees, top)
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	for i, top := range trees { // without effect unless the directory cannot be resolved
		if real, err := filepath.EvalSymlinks(top); err == nil {
			trees[i] = real
		}
	}
	if len(trees) > 0 {
		project := trees[len(trees)-1]
		list := []string{project}
		for _, tree := range trees {
			list = append(list, otherTrees(tree)...)
		}
		return list
	}
	marked := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	if slices.ContainsFunc(marks, marked) {
		return []string{dir}
	}
	return nil
}

// coreWorktree returns the setting core.worktree in a file of git's settings, or "". Git writes it for submodules. It is read without
// git, which may not be run here; a line that is not a setting may be taken for one.
func coreWorktree(config string) (tree string) {
	text, _ := Read(config, 1<<20) // most have none
	inCore := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if section, is := strings.CutPrefix(line, "["); is {
			name, rest, _ := strings.Cut(section, "]")
			inCore, line = strings.EqualFold(strings.TrimSpace(name), "core"), strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		if inCore && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			tree = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, "").Replace(strings.TrimSpace(value))
		}
	}
	return tree
}

// otherTrees returns the other working trees of the repository with this top, without links.
func otherTrees(top string) (list []string) {
	named := func(file, prefix, base string) string {
		path, _ := GitPath(file, prefix, base) // ripple does not run git in a repository with a file that is refused
		return path
	}
	add := func(tree string) {
		if real, err := filepath.EvalSymlinks(tree); err == nil && real != top {
			list = append(list, real)
		}
	}
	common := filepath.Join(top, ".git")
	common = cmp.Or(named(common, "gitdir: ", top), common)
	common = cmp.Or(named(filepath.Join(common, "commondir"), "", common), common)
	common, err := filepath.EvalSymlinks(common)
	if err != nil {
		return nil
	}
	for dir := common; dir != filepath.Dir(dir); dir = filepath.Dir(dir) { // that of a submodule is in the one around it
		if filepath.Base(dir) == ".git" {
			add(filepath.Dir(dir))
		}
	}
	if tree := coreWorktree(filepath.Join(common, "config")); filepath.IsAbs(tree) {
		add(tree)
	} else if tree != "" {
		add(common + string(filepath.Separator) + tree) // not cleaned: a part may be a link
	}
	linked, err := os.OpenFile(filepath.Join(common, "worktrees"), os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return list // as most
	}
	defer linked.Close()               // only read from
	names, _ := linked.Readdirnames(0) // all: one that is left out would count as the user's
	for _, name := range names {
		dir := filepath.Join(common, "worktrees", name)
		if git := named(filepath.Join(dir, "gitdir"), "", dir); git != "" {
			add(filepath.Dir(git))
		}
	}
	return list
}

// Brings reports whether a project may have brought a file or directory with settings of the user: it is in one of the project's
// trees, as [Around] returns them, because a variable such as GOPATH says so, or a link of the user leads there. A home directory in the
// system's list of users has the user's own files, even if it is, or is in, a repository. A path that cannot be resolved may lead into
// any tree.
func Brings(trees []string, path string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return (isIn(tree, path) || isUnresolvable(path)) && !isListed(tree, path)
	})
}

// isUnresolvable reports whether ripple cannot find out where a path leads, so that the system may find a file there: its path without
// links may be too long.
func isUnresolvable(path string) bool {
	_, err := filepath.EvalSymlinks(path)
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
