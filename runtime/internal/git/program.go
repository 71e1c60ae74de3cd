package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// programOf returns the path of git for a command in dir, and the directories of PATH without those of the working tree, where
// an agent could put a program named git, for example into the bin directory of a virtual environment. Relative directories are
// left out, too. Errors: *projectfile.RefusedError if git is only in the working tree, exec.ErrNotFound.
func programOf(dir string) (program, path string, err error) {
	tops, err := topsOf(dir)
	if err != nil {
		return "", "", err
	}
	err = &exec.Error{Name: "git", Err: exec.ErrNotFound}
	var dirs []string
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		found, lookErr := exec.LookPath(filepath.Join(d, "git"))
		switch {
		case lookErr != nil && leadsInto(tops, d):
		case lookErr != nil:
			dirs = append(dirs, d)
		case !leadsInto(tops, found):
			dirs = append(dirs, d)
			if program == "" {
				program = found
			}
		case program == "":
			err = &projectfile.RefusedError{Path: found, Why: "is in the working tree, where an agent could replace it", Do: "install git in another directory of PATH"}
		}
	}
	if program != "" {
		err = nil
	}
	return program, strings.Join(dirs, string(filepath.ListSeparator)), err
}

// topsOf returns the real path of the working tree that dir is in, or dir, and for a linked one that of the main one, too.
func topsOf(dir string) ([]string, error) {
	dirs, top, err := gitDirs(dir)
	if err != nil {
		return nil, err
	}
	if top == "" {
		top = dir
	}
	tops := []string{top}
	if len(dirs) == 2 && filepath.Base(dirs[1]) == ".git" {
		tops = append(tops, filepath.Dir(dirs[1]))
	}
	for i, t := range tops {
		if real, err := filepath.EvalSymlinks(t); err == nil {
			tops[i] = real
		}
	}
	return slices.DeleteFunc(tops, func(t string) bool { return t == filepath.Dir(t) }), nil // every program is below the root
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
