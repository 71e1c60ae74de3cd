package projectfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"example.org/ripple/internal/owner"
)

// userVariables name directories and files with settings, programs and records of the user. Those without a value are in the place below
// HOME that is named here.
var userVariables = []struct{ name, standard string }{
	{"HOME", ""},
	{"XDG_CONFIG_HOME", ".config"},
	{"XDG_STATE_HOME", ".local/state"},
	{"XDG_DATA_HOME", ".local/share"},
	{"XDG_CACHE_HOME", ".cache"},
	{"XDG_RUNTIME_DIR", ""},
	{"GIT_CONFIG_GLOBAL", ".gitconfig"},
	{"GIT_CONFIG_SYSTEM", ""},
	{"GNUPGHOME", ".gnupg"},
}

// Home is a place that a variable makes the user's, although a project has it.
type Home struct {
	Variable string
	Path     string // without links
	Project  string // the top of the project
	Err      error  // the reason that the place cannot be examined, so that a project may have it; nil if one has it
}

// Homes returns the places of the user, such as the home directory, that are in a project: below a directory that has an entry .git or
// files of ripple. Relative values begin in each of some directories. A link in a project leads to a place of the project. A home directory
// in the system's list of users has the user's own files, even if it is, or is in, a project.
func Homes(getenv func(string) string, dirs ...string) (list []Home) {
	for _, v := range userVariables {
		value := getenv(v.name)
		if home := getenv("HOME"); value == "" || home != "" && v.standard != "" && value == strings.TrimRight(home, "/")+"/"+v.standard {
			continue
		}
		places := []string{value}
		if !filepath.IsAbs(value) {
			places = nil
			for _, dir := range dirs {
				places = append(places, dir+string(filepath.Separator)+value)
			}
		}
		for _, place := range places {
			path, through, err := follow(place)
			if err != nil {
				list = append(list, Home{Variable: v.name, Path: place, Err: err})
				continue
			}
			for _, dir := range append([]string{path}, through...) {
				if top := innermostProject(dir); top != "" {
					list = append(list, Home{Variable: v.name, Path: path, Project: top})
					break
				}
			}
		}
	}
	return list
}

// LeadsOut reports whether a symbolic link in a project leads a path, which the user has chosen, out of that project, or may do so because
// the path cannot be examined.
func LeadsOut(path string) bool {
	real, through, err := follow(path)
	return err != nil || slices.ContainsFunc(through, func(dir string) bool {
		top := innermostProject(dir)
		return top != "" && !isIn(top, real)
	})
}

// maxLinks limits the links in a path, as the kernel does.
const maxLinks = 40

// follow returns a path without links, and the directories, without links, that have the links in it. Names that do not
// exist stay as they are. An error means that the path cannot be resolved.
func follow(path string) (real string, through []string, err error) {
	if path, err = absolute(path); err != nil {
		return "", nil, err
	}
	start := filepath.VolumeName(path)
	separator := string(filepath.Separator)
	real = start + separator
	for rest := strings.Split(path[len(start):], separator); len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		next := filepath.Join(real, name)
		info, err := os.Lstat(next)
		if err != nil && !nothingThere(err) {
			return "", nil, err
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			real = next
			continue
		}
		target, err := os.Readlink(next)
		if err == nil && len(through) == maxLinks {
			err = fmt.Errorf("%s: more than %d symbolic links", path, maxLinks)
		}
		if err != nil {
			return "", nil, err
		}
		through = append(through, real)
		rest = append(strings.Split(filepath.FromSlash(target), separator), rest...)
		if filepath.IsAbs(target) {
			real = start + separator
		}
	}
	return real, through, nil
}

// absolute returns a path that begins at the root. It is not cleaned: a part may be a link.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.FromSlash(path), nil
	}
	cwd, err := os.Getwd()
	return cwd + string(filepath.Separator) + filepath.FromSlash(path), err
}

// nothingThere reports whether an error means that this user, and so every program of the user, finds no file at a path.
func nothingThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

// innermostProject returns the top of the innermost project that has a path without links; "" if none has it, or it is the user's own.
func innermostProject(path string) string {
	for at := path; ; at = filepath.Dir(at) {
		if isMarked(at) && !isListed(at, path) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// isMarked reports whether a directory is a project.
func isMarked(dir string) bool {
	return slices.ContainsFunc(append([]string{".git"}, marks...), func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return !nothingThere(err) && (name != ".git" || HasGit(dir))
	})
}

// isListed reports whether a path is in a home directory of the system's list of users that is the top, or below it.
func isListed(top, path string) bool {
	return slices.ContainsFunc(owner.ListedHomes(), func(home string) bool {
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		return isIn(top, home) && isIn(home, path)
	})
}
