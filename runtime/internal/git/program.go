package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// programOf returns the path of git. It skips directories of PATH in these working trees, where an agent could put a program named
// git, for example into the bin directory of a virtual environment, and relative ones. Errors: *projectfile.RefusedError if git
// is only in a working tree, exec.ErrNotFound.
func programOf(tops []string) (program string, err error) {
	err = &exec.Error{Name: "git", Err: exec.ErrNotFound}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		found, lookErr := exec.LookPath(filepath.Join(d, "git"))
		switch {
		case lookErr != nil:
		case !leadsInto(tops, found):
			return found, nil
		default:
			err = &projectfile.RefusedError{Path: found, Why: "is in the working tree, where an agent could replace it", Do: "install git in another directory of PATH"}
		}
	}
	return "", err
}

// pathOutside returns the directories of PATH that programOf does not skip: no relative ones, and none in these working trees.
func pathOutside(tops []string) string {
	var dirs []string
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		if len(tops) == 0 {
			dirs = append(dirs, d)
			continue
		}
		leads := d
		if found, err := exec.LookPath(filepath.Join(d, "git")); err == nil {
			leads = found
		}
		if !leadsInto(tops, leads) {
			dirs = append(dirs, d)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// topsOf returns the real paths of the working tree that dir is in, or of dir, of the outermost one around it, and of the
// other working trees of both. dirs and top are those that gitDirs returns for dir.
func topsOf(dir string, dirs []string, top string) []string {
	if top == "" {
		top = dir
	}
	tops := append(projectfile.Around(top), top)
	if len(dirs) == 2 && filepath.Base(dirs[1]) == ".git" {
		tops = append(tops, filepath.Dir(dirs[1]))
	}
	for i, t := range tops {
		if real, err := filepath.EvalSymlinks(t); err == nil {
			tops[i] = real
		}
	}
	return slices.DeleteFunc(tops, func(t string) bool { return t == filepath.Dir(t) }) // every program is below the root
}

// leadsInto reports whether a path is inside of one of some directories, or one of its parents is a symbolic link into one.
func leadsInto(tops []string, path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil && inAny(tops, real) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}
