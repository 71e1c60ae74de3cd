package projectfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/owner"
)

// marks are the files that make a directory a project even without a repository.
var marks = []string{".ripple", ".ralph", ".ralphrc", "ripple.yml"}

// Around returns the project that a user in a directory works in, without links: the top of the working tree around it, of any
// user, or the directory itself if it has files of ripple. Of nested trees, as of a submodule, it is the outermost, but none around
// the innermost that has a home directory of the system's list of users in it. There is none in
// a plain home directory.
//
// The project is the first of the result, which is empty if there is none. The others are the other working trees of the
// repository, such as the main one of a linked one, if they exist.
func Around(dir string) []string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
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
	if len(trees) > 0 {
		project := trees[len(trees)-1]
		list := append([]string{project}, otherTrees(project)...)
		if trees[0] != project {
			list = append(list, otherTrees(trees[0])...)
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

// maxTrees limits how many linked working trees are looked at; a project from an archive may have any number.
const maxTrees = 100

// otherTrees returns the other working trees of the repository with this top, without links.
func otherTrees(top string) (list []string) {
	// named returns the path that the first line of a file has; a relative one begins in base.
	named := func(file, prefix, base string) (path string, is bool) {
		text, err := Read(file, 1<<20) // git reads as much
		line, _, _ := strings.Cut(string(text), "\n")
		if path, is = strings.CutPrefix(strings.TrimRight(line, "\r"), prefix); err != nil || !is || path == "" {
			return "", false
		}
		if !filepath.IsAbs(path) {
			path = base + string(filepath.Separator) + path // not cleaned: a part may be a link
		}
		return path, true
	}
	add := func(tree string) {
		if real, err := filepath.EvalSymlinks(tree); err == nil && real != top {
			list = append(list, real)
		}
	}
	common := filepath.Join(top, ".git")
	if dir, is := named(common, "gitdir: ", top); is {
		common = dir
	}
	if dir, is := named(filepath.Join(common, "commondir"), "", common); is {
		common = dir
	}
	common, err := filepath.EvalSymlinks(common)
	if err != nil {
		return nil
	}
	if filepath.Base(common) == ".git" {
		add(filepath.Dir(common))
	}
	linked, err := os.OpenFile(filepath.Join(common, "worktrees"), os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return list // as most
	}
	defer linked.Close() // only read from
	names, _ := linked.Readdirnames(maxTrees)
	for _, name := range names {
		dir := filepath.Join(common, "worktrees", name)
		if git, is := named(filepath.Join(dir, "gitdir"), "", dir); is {
			add(filepath.Dir(git))
		}
	}
	return list
}

// Brings reports whether a project, as [Around] returns it, may have brought a file or directory with settings of the user: it is in the project, because
// HOME or another variable says so, as with HOME=$PWD/home. A home directory in the system's list of users has the user's own files,
// even if it is, or is in, a repository.
func Brings(project []string, path string) bool {
	return slices.ContainsFunc(project, func(tree string) bool {
		return isIn(tree, path) && !slices.ContainsFunc(owner.ListedHomes(), func(home string) bool {
			if real, err := filepath.EvalSymlinks(home); err == nil {
				home = real
			}
			return isIn(tree, home) && isIn(home, path)
		})
	})
}
