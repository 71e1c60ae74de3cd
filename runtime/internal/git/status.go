package git

import (
	"cmp"
	"context"
	"path"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// status asks git which files differ from HEAD and hashes these.
func (t *Tree) status(ctx context.Context, old map[string]cached, s *Snapshot) error {
	if err := t.Repo.checkSubmodules(ctx); err != nil {
		return err
	}
	args := []string{"--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames", "--no-ahead-behind"}
	if t.Repo.Box != nil { // .gitmodules may say that changes in a submodule are ignored
		args = append(args, "--ignore-submodules=none")
	}
	out, err := t.Repo.run(ctx, call{}, gitStatus, args...)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		if sha, ok := strings.CutPrefix(line, "# branch.oid "); ok && sha != "(initial)" {
			s.Head = sha
			continue
		}
		if branch, ok := strings.CutPrefix(line, "# branch.head "); ok && branch != "(detached)" {
			s.Branch = branch
			continue
		}
		e := parseEntry(line)
		if e.name == "" || t.isOwn(e.name) {
			continue
		}
		if err := t.add(ctx, e, old, s.Files); err != nil {
			return err
		}
	}
	return nil
}

// Tracked returns the names of the files in the index, and in those of submodules with files, relative to the top, with slashes.
// With an error, these are not all.
func (r *Repo) Tracked(ctx context.Context) (names []string, err error) {
	top := repository{dir: r.Top}
	inner, err := top.withSubmodules(ctx)
	for _, at := range append([]repository{top}, inner...) {
		out, listErr := at.ask(ctx, gitListFiles, "-z")
		dir, _ := projectfile.Relative(r.Top, at.dir) // it is inside
		for name := range strings.SplitSeq(out, "\x00") {
			if name != "" {
				names = append(names, path.Join(dir, name))
			}
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
