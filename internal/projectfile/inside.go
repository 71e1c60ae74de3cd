package projectfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/owner"
)

// openInside opens path, a regular file of the project in dir, for reading. It follows links, but
// not out of the project: out of the repository of this user that contains dir, or out of dir if
// there is none, or if it contains the home directory, too. An error message about such a file would show
// the text of another one. This holds even if the file is replaced by a link meanwhile. Errors:
// *RefusedError, those of the system.
func openInside(dir, path string) (*os.File, error) {
	for range maxTries {
		top, name, err := locate(dir, path)
		if err != nil {
			return nil, err
		}
		f, err := openLocated(top, name)
		if !errors.Is(err, errChanged) {
			return f, err
		}
	}
	return nil, fmt.Errorf("opening %s: %w", path, errChanged)
}

// openLocated opens a file that locate found.
func openLocated(top, name string) (*os.File, error) {
	path := filepath.Join(top, name)
	return openRegular(path, os.Lstat, func() (*os.File, error) { return openBelow(top, name, os.O_RDONLY|nonBlock, 0) })
}

// ReadInside returns what a file of the project in dir has, at most limit bytes. Errors: those of
// openInside.
func ReadInside(dir, path string, limit int64) ([]byte, error) {
	f, err := openInside(dir, path)
	if err != nil {
		return nil, err
	}
	return readAll(f, limit)
}

// Target returns the path without links of the file of the project in dir that ReadInside reads. Errors: those of
// openInside.
func Target(dir, path string) (string, error) {
	top, name, err := locate(dir, path)
	return filepath.Join(top, name), err
}

// ReadNamed returns what a file has that a user named by its path, or that is beside such a file, at most
// limit bytes. No link leads out of the project that has it; see ProjectOf. Errors: those of openInside.
func ReadNamed(path string, limit int64) ([]byte, error) {
	full, project, _, err := Named(path)
	switch {
	case err != nil:
		return nil, err
	case project != "":
		return ReadInside(project, full, limit)
	}
	return Read(full, limit)
}

// OpenNamed opens a file that a user named by its path, for reading. In a project it is a regular file, and no link leads out of the
// project; see ProjectOf. Any other file may be a pipe, as a shell makes one for <(COMMAND). Errors: those of openInside and Named.
func OpenNamed(path string) (*os.File, error) {
	full, project, _, err := Named(path)
	switch {
	case err != nil:
		return nil, err
	case project != "":
		return openInside(project, full)
	}
	return os.Open(full)
}

// Named returns the absolute path of a file that a user named by its path, which has no ".."; its project in the sense of ProjectOf,
// or ""; and the current directory for which that is its project. A relative path begins where the system begins it, in the current
// directory without links, and ".." is the directory above the one to which a link leads. Errors: a *RefusedError if the path names
// another existing file without regard to links, as most people read it, or cannot be resolved; those of the current directory for a
// relative path.
func Named(path string) (full, project, cwd string, err error) {
	named, err := os.Getwd()
	if err != nil && !filepath.IsAbs(path) {
		return "", "", "", err
	}
	cwd = named
	if real, err := filepath.EvalSymlinks(named); err == nil {
		cwd = real
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = cwd + string(filepath.Separator) + path // not cleaned: a part may be a link
	}
	if full, err = withoutDots(path); err != nil {
		return "", "", "", err
	}
	for _, here := range []string{cwd, named} {
		if project = ProjectOf(here, full); project != "" {
			return full, project, here, nil
		}
	}
	return full, "", cwd, nil
}

// withoutDots returns an absolute path without "..", which means the directory above the one to which the path before it leads.
// If that does not exist, the path is only cleaned.
func withoutDots(path string) (string, error) {
	const dots = string(filepath.Separator) + ".."
	clean := filepath.Clean(path)
	last := strings.LastIndex(path+string(filepath.Separator), dots+string(filepath.Separator))
	if last < 0 {
		return clean, nil
	}
	dir, name := path[:last+len(dots)], path[last+len(dots):]
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return clean, nil // and the system finds nothing
	case err != nil:
		return "", &RefusedError{path, "cannot be examined (" + err.Error() + ")", "write the path without ..", nil}
	}
	full := filepath.Join(real, name)
	a, err := os.Stat(full)
	b, cleanErr := os.Stat(clean)
	if err == nil && cleanErr == nil && !os.SameFile(a, b) {
		return "", &RefusedError{path, "has .. after a symbolic link, and there is also " + clean, "write the path without links", nil}
	}
	return full, nil
}

// FS returns the files below base, a directory of the project in dir. It opens them with openInside.
func FS(dir, base string) fs.FS { return inside{dir, base} }

type inside struct{ dir, base string }

func (i inside) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := openInside(i.dir, filepath.Join(i.base, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat implements [fs.StatFS] for base, which Open refuses, and for files.
func (i inside) Stat(name string) (fs.FileInfo, error) {
	if name == "." {
		return os.Stat(i.base)
	}
	f, err := i.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only examined
	return f.Stat()
}

// locate returns the top of the project in dir, and the name that a file has below it; neither
// contains a link.
func locate(dir, path string) (top, name string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if top, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", err
	}
	if around, ours := RepositoryOf(top); ours && !HoldsHome(around) {
		top = around
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if _, statErr := os.Stat(path); statErr == nil {
			return "", "", &RefusedError{path, "is a symbolic link to something without a path, such as a program's input", "put a regular file there", nil}
		}
		return "", "", err
	}
	name, is := Relative(top, real)
	if !is {
		_, inTop := Relative(top, path)
		if _, inDir := Relative(dir, path); !inDir && !inTop {
			return "", "", &RefusedError{path, "is outside of " + top, "name a file in there", nil}
		}
		return "", "", &RefusedError{path, "is a symbolic link, or in one, that leads out of " + top + ", to " + real, "replace the link with a copy of the file", nil}
	}
	return top, filepath.FromSlash(name), nil
}

// ProjectOf returns the directory out of which no link may lead from a file that a user in cwd, an
// absolute path, names by its path, because the user sees the path and not the link: the repository
// that has the file, or cwd if the file is below it and cwd is in no repository of this user, or in one
// that contains the home directory. It returns "" if neither is the case. A directory of a repository that is a link to another
// repository does not count as that one. A .git that is not a repository counts as one of another user.
func ProjectOf(cwd, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	project, real := "", ""
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		_, around := Relative(at, cwd)
		resolved, err := filepath.EvalSymlinks(at)
		exists := !errors.Is(err, fs.ErrNotExist)
		if err != nil {
			resolved = at // as if its path without links is too long for the system
		}
		if exists && HasGit(at) {
			if _, inside := Relative(resolved, real); project == "" || !inside {
				project, real = at, resolved
			}
			_, below := Relative(cwd, path)
			if around && below && project == at && (!isOurs(at) || HoldsHome(resolved)) { // as openInside, which does not use this repository
				return cwd
			}
			if around {
				return project
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if _, below := Relative(cwd, path); project == "" && below && cwd != filepath.Dir(cwd) {
		return cwd
	}
	return project
}

// RepositoryOf returns the top of the repository that contains dir, or "". ours reports whether the
// top and its .git belong to this user: without the setting safe.directory, git requires that, because
// in a directory where others may write, such as /tmp, another user can make a repository that has
// the directories of everybody. A .git that is not a repository ends the search, although git goes on
// above it: a program that may write only that .git must not choose a repository around it.
func RepositoryOf(dir string) (top string, ours bool) {
	for !HasGit(dir) {
		above := filepath.Dir(dir)
		if above == dir {
			return "", false
		}
		dir = above
	}
	if !isRepository(dir) {
		return "", false
	}
	return dir, isOurs(dir)
}

// HoldsHome reports whether a directory, whose path has no links, is the home directory or above it. A repository there,
// as one of configuration files, has more than a project in it may read.
func HoldsHome(dir string) bool {
	home, err := owner.Home(os.Getenv)
	return err == nil && isIn(dir, home) || holdsListedHome(dir)
}

// holdsListedHome is like HoldsHome for the home directories in the system's list of users only.
func holdsListedHome(dir string) bool {
	return slices.ContainsFunc(owner.ListedHomes(), func(home string) bool { return isIn(dir, home) })
}

// isIn reports whether a path, by name or without its links, is in a directory whose path has no links, or is the directory.
func isIn(dir, path string) bool {
	_, named := Relative(dir, path)
	real, err := filepath.EvalSymlinks(path)
	_, is := Relative(dir, real)
	return named || err == nil && is
}

// isOurs reports whether a directory is a repository, and it and its .git belong to this user.
func isOurs(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !owner.IsCaller(info) {
		return false
	}
	info, err = os.Lstat(filepath.Join(dir, ".git"))
	return err == nil && owner.IsCaller(info) && isRepository(dir)
}

// HasGit reports whether a directory has an entry .git, which need not be a repository. An empty
// directory, as a sandbox creates to block one, does not count: no program in a box can make .git one.
func HasGit(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil || !info.IsDir() {
		return !errors.Is(err, fs.ErrNotExist)
	}
	entries, err := os.OpenFile(git, os.O_RDONLY|nonBlock, 0) // a pipe may have replaced it
	if err != nil {
		return true
	}
	defer entries.Close() // only read from
	_, err = entries.Readdirnames(1)
	return err != io.EOF
}

// isRepository reports whether the entry .git of a directory may be a repository, or name one.
func isRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return !info.IsDir() || err == nil
}
