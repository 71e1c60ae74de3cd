package box

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// guarded lists the files of a repository that configure git or make it run something. A program
// in the box may only read them.
var guarded = []struct {
	name  string
	dir   bool
	how   string  // bubblewrap's option; even a writable mount cannot be renamed
	empty *string // content to create if the file is missing, so that the box cannot create it; nil: create nothing
}{
	{"config", false, "ro-bind", new(string)},
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
func (l layout) protectGit(p *Policy) error {
	dir := p.Dir
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
		if err := l.guard(entry); err != nil {
			return err
		}
		if err := l.keepPointers(p, filepath.Join(entry, "modules")); err != nil {
			return err
		}
		return l.keepSettings(p, filepath.Join(entry, "config"), filepath.Join(entry, "config.worktree"))
	}
	return l.linked(p, entry)
}

// guard protects a repository's directory. It creates a commondir that says ".", which does not
// change git's behavior: otherwise the program could create one that points to other settings
// and hooks.
func (l layout) guard(gitdir string) error {
	root, err := openDir(gitdir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, g := range guarded {
		path := filepath.Join(gitdir, g.name)
		info, err := root.Lstat(g.name)
		if errors.Is(err, fs.ErrNotExist) {
			if g.empty == nil {
				continue
			}
			if g.dir {
				err = root.Mkdir(g.name, 0o755)
			} else {
				err = create(root, g.name, *g.empty)
			}
			if err == nil || errors.Is(err, fs.ErrExist) { // another box of this working tree may have created it meanwhile
				info, err = root.Lstat(g.name)
			}
		}
		switch {
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
	return checkRepository(gitdir)
}

// checkRepository is checkNames for the files of a repository's directory that configure git or that it runs.
func checkRepository(gitdir string) error {
	var paths []string
	for _, g := range guarded {
		if !g.dir {
			paths = append(paths, filepath.Join(gitdir, g.name))
		}
	}
	hooks := filepath.Join(gitdir, "hooks")
	entries, _ := os.ReadDir(hooks) // git runs none in a directory that cannot be read
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".sample" {
			paths = append(paths, filepath.Join(hooks, e.Name()))
		}
	}
	return checkNames(paths...)
}

// checkNames returns an error if a file has another name (a hard link): if that is in the working tree, the program could write the file
// although it is read-only by this name.
//
// Errors: ErrPolicy.
func checkNames(paths ...string) error {
	for _, path := range paths {
		var st unix.Stat_t
		if unix.Lstat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink > 1 {
			return fmt.Errorf("%w: %q has another name, too (a hard link), by which the program could write it; replace it by a copy (cp -p to a new file, then mv)", ErrPolicy, path)
		}
	}
	return nil
}

// openDir opens a directory, whose path contains no symbolic link, so that files can be created in it although another
// process may replace a part of the path by a link.
//
// Errors: ErrPolicy.
func openDir(path string) (root *os.Root, err error) {
	err = reach(path, func(fd int) (err error) {
		root, err = os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", fd))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: opening %q: %w", ErrPolicy, path, err)
	}
	return root, nil
}

// create creates a file. If it cannot write the content, it removes the file.
func create(root *os.Root, name, content string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, root.Remove(name))
	}
	return err
}

// linked mounts the repository that the .git file of a linked working tree points to. The
// repository must point back to the working tree: the program could have written the file.
func (l layout) linked(p *Policy, entry string) error {
	l.add("ro-bind", entry, entry)
	if err := checkNames(entry); err != nil {
		return err
	}
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
	tree, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	if rel, err := filepath.Rel(tree, real); err == nil && filepath.IsLocal(rel) { // it is writable, and may be a hidden directory
		return fmt.Errorf("%w: %[2]q says that the repository is %[3]q, inside of the working tree; remove the file %[2]q and give the directory this name", ErrPolicy, entry, private)
	}
	if private, ok = linkedTo(entry); !ok {
		return nil // git will not work in the box
	}
	common := filepath.Dir(filepath.Dir(private))
	l.add("ro-bind", common, common)
	others := filepath.Dir(private)
	l.add("tmpfs", "", others)
	for _, name := range []string{"objects", "refs", "logs"} {
		if path := filepath.Join(common, name); exists(path) == nil {
			l.add("bind", path, path)
		}
	}
	l.add("bind", private, private)
	root, err := openDir(private)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := create(root, "config.worktree", ""); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	for _, name := range []string{"gitdir", "commondir", "config.worktree", "modules"} {
		if path := filepath.Join(private, name); exists(path) == nil {
			l.add("ro-bind", path, path)
		}
	}
	for _, dir := range []string{common, private} {
		if err := checkRepository(dir); err != nil {
			return err
		}
	}
	if err := l.keepPointers(p, filepath.Join(private, "modules")); err != nil {
		return err
	}
	return l.keepSettings(p, filepath.Join(common, "config"), filepath.Join(private, "config.worktree"))
}

// linkedTo returns the directory that git keeps for a linked working tree with this file .git. ok is false if the file
// is that of another working tree, or the repository does not point back to it.
func linkedTo(entry string) (private string, ok bool) {
	private, ok = pointer(entry, "gitdir: ")
	if !ok || exists(private) != nil {
		return "", false
	}
	back, ok := pointer(filepath.Join(private, "gitdir"), "")
	return private, ok && back == entry && filepath.Base(filepath.Dir(private)) == "worktrees"
}

// pointer returns the path after prefix in one of git's small pointer files.
func pointer(file, prefix string) (string, bool) {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8<<10 {
		return "", false
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(string(data)), prefix)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), ok
}
