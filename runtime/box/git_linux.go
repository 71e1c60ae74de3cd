package box

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// guarded lists the files of a repository that configure git or make it run something. A program
// in the box may only read them.
var guarded = []struct {
	name  string
	dir   bool
	how   string  // bubblewrap's option; even a writable mount cannot be renamed
	empty *string // content to create if the file is missing, so that the box cannot create it; nil: create nothing
}{
	{"config", false, "ro-bind", nil},
	{"config.worktree", false, "ro-bind", new(string)},
	{"hooks", true, "ro-bind", new(string)},
	{"info", true, "bind", new(string)},
	{"info/attributes", false, "ro-bind", new(string)},
	{"modules", true, "ro-bind", nil},
	{"worktrees", true, "ro-bind", nil}, // settings of linked working trees, which their users' git reads
	{"commondir", false, "ro-bind", new(onlyItself)},
}

// onlyItself is the content of commondir in a repository that has its own settings.
const onlyItself = ".\n"

// protectGit makes git's settings and hooks in a writable working tree read-only. For a linked
// working tree it also mounts the repository, with writable objects and references.
func (l layout) protectGit(dir string) error {
	entry := filepath.Join(dir, ".git")
	info, err := os.Lstat(entry)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %q is a symbolic link", ErrPolicy, entry)
	case info.IsDir():
		l.add("bind", entry, entry) // a mount cannot be renamed
		return l.guard(entry)
	}
	return l.linked(dir, entry)
}

// guard protects a repository's directory. It creates a commondir that says ".", which does not
// change git's behavior: otherwise the program could create one that points to other settings
// and hooks.
func (l layout) guard(gitdir string) error {
	for _, g := range guarded {
		path := filepath.Join(gitdir, g.name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if g.empty == nil {
				continue
			}
			if g.dir {
				err = os.Mkdir(path, 0o755)
			} else {
				err = create(path, *g.empty)
			}
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			err = fmt.Errorf("%q is a symbolic link", path)
		case err == nil && info.IsDir() != g.dir:
			err = fmt.Errorf("%q is not of the type that git uses (file or directory)", path)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrPolicy, err)
		}
		l.add(g.how, path, path)
	}
	return nil
}

// create creates a file and follows no link that another process may have put there meanwhile.
func create(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// linked mounts the repository that the .git file of a linked working tree points to. The
// repository must point back to the working tree: the program could have written the file.
func (l layout) linked(dir, entry string) error {
	l.add("ro-bind", entry, entry)
	private, ok := pointer(entry, "gitdir: ")
	if !ok {
		return nil
	}
	real, err := filepath.EvalSymlinks(private)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	tree, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	if rel, err := filepath.Rel(tree, real); err == nil && filepath.IsLocal(rel) { // it is writable, and may be a hidden directory
		return fmt.Errorf("%w: %q says that the repository is %q, inside of the working tree; make that the directory .git", ErrPolicy, entry, private)
	}
	if exists(private) != nil {
		return nil
	}
	back, ok := pointer(filepath.Join(private, "gitdir"), "")
	common := filepath.Dir(filepath.Dir(private))
	if !ok || back != entry || filepath.Base(filepath.Dir(private)) != "worktrees" {
		return nil // git will not work in the box
	}
	l.add("ro-bind", common, common)
	others := filepath.Dir(private)
	l.add("tmpfs", "", others)
	for _, name := range []string{"objects", "refs", "logs"} {
		if path := filepath.Join(common, name); exists(path) == nil {
			l.add("bind", path, path)
		}
	}
	l.add("bind", private, private)
	settings := filepath.Join(private, "config.worktree")
	if err := create(settings, ""); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	for _, name := range []string{"gitdir", "commondir", "config.worktree", "modules"} {
		if path := filepath.Join(private, name); exists(path) == nil {
			l.add("ro-bind", path, path)
		}
	}
	return nil
}

// pointer returns the path after prefix in one of git's small pointer files.
func pointer(file, prefix string) (string, bool) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8<<10 {
		return "", false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(string(data)), prefix)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), ok
}
