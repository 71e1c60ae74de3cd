package git

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// status asks git which files differ from HEAD and hashes these.
func (t *Tree) status(ctx context.Context, old map[string]cached, s *Snapshot) error {
	if err := t.Repo.checkSubmodules(ctx); err != nil {
		return err
	}
	boxed := t.Repo.Box != nil
	args := []string{"--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames", "--no-ahead-behind"}
	if boxed { // .gitmodules may say that changes in a submodule are ignored
		args = append(args, "--ignore-submodules=none")
	}
	out, err := t.Repo.run(ctx, call{}, gitStatus, args...)
	if err == nil && boxed {
		s.Head, s.Branch, err = t.Repo.headOutside(ctx)
	}
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		if sha, ok := strings.CutPrefix(line, "# branch.oid "); ok {
			if !boxed && sha != "(initial)" {
				s.Head = sha
			}
			continue
		}
		if branch, ok := strings.CutPrefix(line, "# branch.head "); ok {
			if !boxed && branch != "(detached)" {
				s.Branch = branch
			}
			continue
		}
		e := parseEntry(line)
		if !IsName(e.name) || t.isOwn(e.name) {
			continue
		}
		if err := t.add(ctx, e, old, s.Files); err != nil {
			return err
		}
	}
	return nil
}

// headOutside returns the commit and the branch of HEAD, each "" for none. These commands do not run in the box: a program that git runs
// there, such as a filter, can write to the standard output of git.
func (r *Repo) headOutside(ctx context.Context) (commit, branch string, err error) {
	none := func(err error) bool {
		e, is := errors.AsType[*Error](err)
		return is && e.Code == 1
	}
	commit, err = command(ctx, r.Top, gitRevParse, "--verify", "--quiet", "HEAD")
	if err != nil && !none(err) {
		return "", "", err
	}
	ref, err := command(ctx, r.Top, gitHeadName, "--quiet", "HEAD")
	if none(err) {
		err = nil
	}
	branch, _ = strings.CutPrefix(strings.TrimSuffix(ref, "\n"), "refs/heads/")
	return strings.TrimSpace(commit), branch, err
}

// IsName reports whether a name, with slashes, may be that of a file of a working tree. A program in a box may write others where names
// are stored: some lead out of the working tree, or into the repository.
func IsName(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !slices.Contains(strings.Split(name, "/"), ".git")
}

// fileNames splits a list that git printed with -z. Those that are not names of files are left out.
func fileNames(list string) []string {
	return slices.DeleteFunc(strings.Split(list, "\x00"), func(name string) bool { return !IsName(name) })
}

// throughLink reports whether a directory on the way to a file, by its name in the working tree at top, is a symbolic link. Git
// names no such file that is there.
func throughLink(top, name string) bool {
	_, err := projectfile.In(top, path.Dir(strings.TrimSuffix(name, "/"))).Stat("")
	_, refused := errors.AsType[*projectfile.RefusedError](err)
	return refused
}

// Tracked returns the names of the files in the index, and in those of submodules with files, relative to the top, with slashes.
// With an error, these are not all.
func (r *Repo) Tracked(ctx context.Context) (names []string, err error) {
	top := repository{dir: r.Top}
	inner, err := top.withSubmodules(ctx)
	for _, at := range append([]repository{top}, inner...) {
		out, listErr := at.ask(ctx, gitListFiles, "-z")
		dir, _ := projectfile.Relative(r.Top, at.dir) // it is inside
		for _, name := range fileNames(out) {
			names = append(names, path.Join(dir, name))
		}
		err = cmp.Or(err, listErr)
	}
	return names, err
}

// entry is a line of `git status --porcelain=v2`.
type entry struct {
	name   string
	staged string // the blob in the index, where that is neither what HEAD nor what the working tree has
	gone   bool   // from the working tree, or from the index alone
	inner  bool   // a repository of its own

	untracked bool

	// Of a submodule:
	moved    bool // it is at another commit
	dirty    bool // it has changes of its own
	recorded string
}

func parseEntry(line string) (e entry) {
	fields := map[byte]int{'1': 9, 'u': 11, '?': 2} // with the path, the last
	n := fields[(line + " ")[0]]
	f := strings.SplitN(line, " ", n)
	if n == 0 || len(f) < n {
		return e
	}
	e.name, e.untracked = f[n-1], n == 2
	e.inner = strings.HasSuffix(e.name, "/")
	if n == 9 {
		e.inner = f[2][0] == 'S'
		e.gone = f[1][1] == 'D' || f[1] == "D."
		e.moved = f[2][0] == 'S' && (f[1][0] != '.' || strings.Contains(f[2], "C"))
		e.dirty, e.recorded = strings.ContainsAny(f[2][1:], "MU"), f[6]
		if !strings.Contains(f[1], ".") {
			e.staged = f[7]
		}
	}
	return e
}
