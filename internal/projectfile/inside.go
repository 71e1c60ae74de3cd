package projectfile

import (
	"os"
	"path/filepath"
)

// Inside returns a *RefusedError if links lead from path, a file of the project in dir, out of the
// project: out of the repository that contains dir, or out of dir if none does. An error message
// about such a file would show the text of another one.
func Inside(dir, path string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	top, topErr := filepath.EvalSymlinks(dir)
	for at := top; ; at = filepath.Dir(at) {
		if IsRepository(at) {
			top = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || topErr != nil {
		return nil // there is none; opening it reports anything else
	}
	if _, inside := Relative(top, real); inside {
		return nil
	}
	return &RefusedError{path, "is a symbolic link, or in one, that leads out of the project, to " + real, "replace the link by a copy of the file", nil}
}

// IsRepository reports whether git would treat dir as the top of a repository. An empty .git, as
// a sandbox creates to block one, does not count.
func IsRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return !info.IsDir() || err == nil
}
