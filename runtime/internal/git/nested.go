package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
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

// IgnoredFiles lists what git ignores in a working tree, also as changes of a file (git update-index --assume-unchanged). `git worktree remove` removes it without a question.
type IgnoredFiles struct {
	Names    []string // files and directories that the project lacks or has with other contents
	Unread   bool     // of some files only the size was compared, because there are too many
	compared int
	read     int64
}

// Limits of the files whose contents are compared.
const (
	maxCompared     = 10_000
	maxComparedSize = 256 << 20 // bytes of all
)

// OnlyIgnored compares what git ignores here with the project. skip leaves out names, as in [Worktree.Lacking].
func (w *Worktree) OnlyIgnored(ctx context.Context, project string, skip func(name string) bool) (i IgnoredFiles, err error) {
	list, err := ignored(ctx, w.Repo, skip)
	for _, name := range list {
		err = errors.Join(err, i.compare(ctx, w.Top, project, name, skip))
	}
	names, nerr := w.hidden(ctx)
	i.Names = append(i.Names, names...)
	return i, errors.Join(err, nerr)
}

// hidden lists the files whose changes git does not show (git update-index --assume-unchanged or --skip-worktree) and that are not
// as in the index.
func (w *Worktree) hidden(ctx context.Context) (names []string, err error) {
	out, err := w.run(ctx, call{}, gitListFiles, "-v", "--stage", "-z")
	for entry := range strings.SplitSeq(out, "\x00") {
		info, name, _ := strings.Cut(entry, "\t")
		f := strings.Fields(info) // tag, mode, blob, stage
		if len(f) != 4 || !IsName(name) || f[0] == "H" || f[0] == "M" || ctx.Err() != nil {
			continue
		}
		if blob, err := blobOf(filepath.Join(w.Top, name), len(f[2])); err == nil && blob != f[2] {
			names = append(names, name)
		}
	}
	return names, errors.Join(err, ctx.Err())
}

// blobOf returns the hash that git gives to a file without filters, with a number of hexadecimal digits.
func blobOf(path string, digits int) (string, error) {
	f, err := projectfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	var h hash.Hash = sha1.New()
	if digits == sha256.Size*2 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	_, err = io.Copy(h, io.LimitReader(f, info.Size()))
	return hex.EncodeToString(h.Sum(nil)), err
}

// compare adds what the project lacks of a file or directory, except what skip leaves out.
func (i *IgnoredFiles) compare(ctx context.Context, top, project, name string, skip func(name string) bool) error {
	return filepath.WalkDir(filepath.Join(top, name), func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil { // it cannot be read, or was removed meanwhile
			return ctx.Err()
		}
		name, _ := projectfile.Relative(top, path)
		if skip(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		here, herr := d.Info()
		theirs, err := os.Lstat(filepath.Join(project, name))
		if herr != nil || err == nil && i.sameContents(ctx, path, here, filepath.Join(project, name), theirs) {
			return ctx.Err()
		}
		i.Names = append(i.Names, filepath.ToSlash(name))
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// sameContents reports whether two files have the same contents; two directories have.
func (i *IgnoredFiles) sameContents(ctx context.Context, path string, info fs.FileInfo, other string, otherInfo fs.FileInfo) bool {
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
	if i.compared, i.read = i.compared+1, i.read+info.Size(); i.compared > maxCompared || i.read > maxComparedSize {
		i.Unread = true
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
	for _, name := range fileNames(others) {
		if dir, is := strings.CutSuffix(name, "/"); is { // git lists the files of other directories
			add(dir)
		}
	}
	return names, err
}
