package projectfile

import (
	"os"
	"path/filepath"
	"slices"

	"example.org/ripple/internal/owner"
)

// marks are the files that make a directory a project even without a repository.
var marks = []string{".ripple", ".ralph", ".ralphrc", "ripple.yml"}

// Around returns the project that a user in a directory works in, without links: the top of the working tree around it, of any
// user, or the directory itself if it has files of ripple. Of nested trees, as of a submodule, it is the outermost, but none around
// the innermost that has a home directory of the system's list of users in it. It returns "" if there is neither, as in
// a plain home directory.
func Around(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return ""
	}
	project := ""
	for top := dir; ; top = filepath.Dir(top) {
		if HasGit(top) && (project == "" || !holdsListedHome(top)) {
			project = top
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	if project != "" {
		return project
	}
	marked := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	if slices.ContainsFunc(marks, marked) {
		return dir
	}
	return ""
}

// Brings reports whether a project may have brought a file or directory with settings of the user: it is in the project, because
// HOME or another variable says so, as with HOME=$PWD/home. A home directory in the system's list of users has the user's own files,
// even if it is, or is in, a repository. Project is a path without links; "" brings nothing.
func Brings(project, path string) bool {
	return project != "" && isIn(project, path) && !slices.ContainsFunc(owner.ListedHomes(), func(home string) bool {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		return isIn(project, home) && isIn(home, path)
	})
}
