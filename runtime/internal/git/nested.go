package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Nested is another working tree of the repository, a submodule with files, or another repository, in a directory of this
// working tree.
type Nested struct {
	Dir        string // relative to the top of this one
	Submodule  bool
	Repository bool   // another one
	Branch     string // of a working tree of this repository; "": none, its HEAD is detached
	Commit     string // of a working tree of this repository
}

// Nested lists the working trees in the directory of this one, the submodules with files, and other repositories. If git ignores
// the directory of a working tree or a repository, `git worktree remove` of this one removes it without a question. With a
// submodule it needs --force, and then removes the submodule's repository, which belongs to this working tree.
func (w *Worktree) Nested(ctx context.Context) (list []Nested, err error) {
	if list, err = w.trees(ctx); err != nil {
		return nil, err
	}
	names, err := w.submodules(ctx)
	for _, name := range names {
		if there(filepath.Join(w.Top, name, ".git")) {
			list = append(list, Nested{Dir: filepath.ToSlash(name), Submodule: true})
		}
	}
	if err != nil {
		return list, err
	}
	repositories, err := repositoriesIn(ctx, w.Top)
	for _, name := range repositories {
		if !slices.ContainsFunc(list, func(n Nested) bool { return n.Dir == name }) {
			list = append(list, Nested{Dir: name, Repository: true})
		}
	}
	return list, err
}

// repositoriesIn lists the directories below one that have a repository or are bare repositories. It does not look for others
// inside of these.
func repositoriesIn(ctx context.Context, top string) (names []string, err error) {
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == top:
			return err
		case err != nil || !d.IsDir() || path == top: // others cannot be read, or were removed meanwhile
			return nil
		case d.Name() == ".git":
			return fs.SkipDir
		case isRepository(path):
			name, _ := projectfile.Relative(top, path)
			names = append(names, filepath.ToSlash(name))
			return fs.SkipDir
		}
		return nil
	})
	return names, err
}

func isRepository(dir string) bool {
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && info.Mode().IsRegular() {
		return true
	}
	for _, of := range []string{filepath.Join(dir, ".git"), dir} {
		if there(filepath.Join(of, "HEAD")) && there(filepath.Join(of, "objects")) && there(filepath.Join(of, "refs")) {
			return true
		}
	}
	return false
}

// OnlyIgnored returns the files and directories that git ignores here, and that the project lacks or has with other contents.
// `git worktree remove` removes them without a question. skip leaves out names, as in [Worktree.Lacking].
func (w *Worktree) OnlyIgnored(ctx context.Context, project string, skip func(name string) bool) (names []string, err error) {
	list, err := ignored(ctx, w.Repo, skip)
	for _, name := range list {
		err = errors.Join(err, w.compare(ctx, project, name, &names))
	}
	return names, err
}

// compare adds what the project lacks of a file or directory.
func (w *Worktree) compare(ctx context.Context, project, name string, lacks *[]string) error {
	return filepath.WalkDir(filepath.Join(w.Top, name), func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil { // it cannot be read, or was removed meanwhile
			return ctx.Err()
		}
		name, _ := projectfile.Relative(w.Top, path)
		here, herr := d.Info()
		theirs, err := os.Lstat(filepath.Join(project, name))
		if herr != nil || err == nil && sameContents(ctx, path, here, filepath.Join(project, name), theirs) {
			return ctx.Err()
		}
		*lacks = append(*lacks, filepath.ToSlash(name))
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// sameContents reports whether two files have the same contents; two directories have.
func sameContents(ctx context.Context, path string, info fs.FileInfo, other string, otherInfo fs.FileInfo) bool {
	switch {
	case info.Mode().Type() != otherInfo.Mode().Type():
		return false
	case info.IsDir():
		return true
	case info.Size() != otherInfo.Size():
		return false
	case info.Mode().Type() == fs.ModeSymlink:
		to, err := os.Readlink(path)
		otherTo, otherErr := os.Readlink(other)
		return err == nil && otherErr == nil && to == otherTo
	case !info.Mode().IsRegular():
		return true
	}
	a, err := projectfile.Open(path)
	if err != nil {
		return false
	}
	defer a.Close() // only read from
	b, err := projectfile.Open(other)
	if err != nil {
		return false
	}
	defer b.Close()                    // only read from
	size := min(info.Size()+1, 64<<10) // with one more, a short file is read at once
	one, two := make([]byte, size), make([]byte, size)
	for ctx.Err() == nil {
		n, err := io.ReadFull(a, one)
		m, otherErr := io.ReadFull(b, two)
		if n != m || !bytes.Equal(one[:n], two[:m]) {
			return false
		}
		if err != nil || otherErr != nil { // the end of both, or of one that cannot be read
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
	return true // nobody knows: the caller looks at ctx
}

// trees lists the working trees in the directory of this one.
func (w *Worktree) trees(ctx context.Context) (list []Nested, err error) {
	top, err := filepath.EvalSymlinks(w.Top) // git lists real names
	if err != nil {
		return nil, err
	}
	out, err := w.run(ctx, call{}, gitWorktree, "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\n\n") {
		var n Nested
		for line := range strings.Lines(entry) {
			line = strings.TrimSuffix(line, "\n")
			if path, is := strings.CutPrefix(line, "worktree "); is {
				n.Dir, _ = projectfile.Relative(top, path)
			} else if commit, is := strings.CutPrefix(line, "HEAD "); is {
				n.Commit = commit
			} else if branch, is := strings.CutPrefix(line, "branch refs/heads/"); is {
				n.Branch = branch
			}
		}
		if n.Dir != "" && n.Dir != "." && there(filepath.Join(top, n.Dir)) {
			list = append(list, n)
		}
	}
	return list, nil
}

// WritableRepositories lists the directories of this working tree, relative to its top, that are working trees of repositories
// whose settings and hooks a program can change that may write in this one, except in .git/modules and .git/worktrees. Git enters
// them to look for changes, and then runs the programs that they name. Those in ignored directories are not listed.
func (r *Repo) WritableRepositories(ctx context.Context) (names []string, err error) {
	dirs, _, err := gitDirs(r.Top)
	if err != nil {
		return nil, err
	}
	add := func(name string) {
		at, err := gitDirIn(filepath.Join(r.Top, filepath.FromSlash(name)))
		if err != nil || at == "" {
			return // git reports it, or does not enter it
		}
		for _, d := range dirs {
			if below, is := projectfile.Relative(d, at); is && (strings.HasPrefix(below, "modules/") || strings.HasPrefix(below, "worktrees/")) {
				return
			}
		}
		names = append(names, name)
	}
	inner, err := repository{dir: r.Top}.withSubmodules(ctx)
	if err != nil {
		return nil, err
	}
	for _, at := range inner {
		if name, is := projectfile.Relative(r.Top, at.dir); is {
			add(name)
		}
	}
	others, err := command(ctx, r.Top, gitListFiles, "--others", "--exclude-standard", "-z")
	for name := range strings.SplitSeq(others, "\x00") {
		if dir, is := strings.CutSuffix(name, "/"); is { // git lists the files of other directories
			add(dir)
		}
	}
	return names, err
}
