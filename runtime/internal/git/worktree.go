package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
)

// Worktree is a working tree of its own for one branch, which follows the one that the
// project has checked out.
type Worktree struct {
	*Repo
	Branch string
	Main   string // branch or commit of the project that it follows
}

// Conflict is work that only a person can continue. Everything was left in place.
type Conflict struct {
	Why  string // a sentence without its full stop
	Next string // what to do, in words that a sentence can begin with
}

func (e *Conflict) Error() string { return e.Why + "; " + e.Next }

// BranchError is a branch that no working tree can be made of.
type BranchError struct{ Why string }

func (e *BranchError) Error() string { return "the branch cannot be used: " + e.Why }

// ErrNoCommit is a repository without a commit that a branch could begin with.
var ErrNoCommit = errors.New("the repository has no commit yet")

// OpenWorktree makes or reuses the working tree of a branch in a directory. add has it
// made when the directory is not there. Errors: *BranchError, ErrNoCommit, *Conflict; with a
// *Conflict the working tree is returned, too, if it is there and has another branch checked out.
func (r *Repo) OpenWorktree(ctx context.Context, dir, branch string, add func(makes func() error) error) (*Worktree, error) {
	main, err := r.Follows(ctx, dir, branch)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := add(func() error { return r.addWorktree(ctx, dir, branch) }); err != nil {
			return nil, err
		}
	}
	w := &Worktree{r.linked(dir), branch, main}
	if !there(filepath.Join(dir, ".git")) { // git would use the project's
		return nil, &Conflict{dir + " is not a working tree of git", "move it away, or name another branch"}
	}
	if err := w.belongsTo(ctx, r); err != nil {
		return nil, err
	}
	found, err := w.CheckedOut(ctx)
	if _, failed := errors.AsType[*Error](err); failed {
		found = unborn
	} else if err != nil {
		return nil, err
	}
	if found == branch || w.Rebasing(ctx) {
		return w, nil
	}
	next, err := w.wayBack(ctx, found)
	if err != nil {
		return nil, err
	}
	return w, &Conflict{fmt.Sprintf("%s has %s checked out instead of %s", dir, found, branch), next}
}

// belongsTo returns a *Conflict if the working tree is one of another repository: an unpacked archive may have its
// .git file, and commits would go there.
func (w *Worktree) belongsTo(ctx context.Context, r *Repo) error {
	if same, err := r.shares(w); same || err != nil {
		return err
	}
	ours, err := r.commonDir(ctx)
	if err != nil {
		return err
	}
	theirs, err := w.commonDir(ctx)
	if _, failed := errors.AsType[*Error](err); failed { // it is damaged
		return nil
	}
	if err == nil && theirs != ours {
		err = &Conflict{w.Top + " is a working tree of another repository, " + theirs, "move it away, or name another branch"}
	}
	return err
}

// shares reports whether it is certain, without a question to git, that a working tree has this repository.
func (r *Repo) shares(w *Worktree) (bool, error) {
	ours, err := dirsAt(r.Top)
	if err != nil || ours == nil {
		return false, err
	}
	theirs, err := dirsAt(w.Top)
	if err != nil || len(theirs) != 2 {
		return false, err
	}
	first, err := os.Stat(ours[len(ours)-1])
	if err != nil {
		return false, nil
	}
	second, err := os.Stat(theirs[1])
	return err == nil && os.SameFile(first, second), nil
}

// commonDir returns the directory that all working trees of the repository share.
func (r *Repo) commonDir(ctx context.Context) (string, error) {
	out, err := command(ctx, r.Top, gitRevParse, "--git-common-dir")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute(r.Top, strings.TrimSuffix(out, "\n")))
}

const unborn = "a branch without commits"

// wayBack returns the command that puts the working tree on its branch, with the commits that are
// checked out.
func (w *Worktree) wayBack(ctx context.Context, found string) (string, error) {
	at, branch := "git -C "+quote.Shell(w.Top), quote.Shell(w.Branch)
	way := at + " switch " + branch
	switch {
	case !w.HasBranch(ctx, w.Branch):
		way = at + " switch -c " + branch
	case w.HasBranch(ctx, found):
		if strings.HasPrefix(found, "-") { // it would be an option
			found = Branch(found)
		}
		way += " && " + at + " merge " + quote.Shell(found)
	case found != unborn:
		var err error
		if way, err = w.wayBackFrom(ctx, found, at, way); err != nil {
			return "", err
		}
	}
	return "run `" + way + "` (all commits stay on a branch), or name another branch", nil
}

// wayBackFrom adds to the command that puts the working tree on its branch what brings a commit that is checked out
// there. It creates a branch only for a commit that nothing keeps, so that a user who follows it twice does not
// get two branches.
func (w *Worktree) wayBackFrom(ctx context.Context, commit, at, way string) (string, error) {
	missing, err := w.Ahead(ctx, time.Time{}, commit, w.Branch)
	if err != nil || missing == 0 {
		return way, err
	}
	unkept, err := w.Unkept(ctx, []string{commit})
	if err != nil || len(unkept) == 0 {
		return way + " && " + at + " merge " + commit, err
	}
	unused, err := w.UnusedBranch(ctx, w.Branch)
	unused = quote.Shell(unused)
	return at + " switch -c " + unused + " && " + way + " && " + at + " merge " + unused, err
}

// Follows is the branch of the project that another, with its files in dir, is to
// follow; an error where it cannot be that one's name. It changes nothing.
func (r *Repo) Follows(ctx context.Context, dir, branch string) (main string, err error) {
	if _, err := command(ctx, r.Top, gitCheckRef, "--branch", branch); err != nil || strings.HasPrefix(branch, "-") {
		return "", &BranchError{fmt.Sprintf("%q is not a valid branch name", branch)}
	}
	main, err = r.CheckedOut(ctx)
	if _, failed := errors.AsType[*Error](err); failed {
		return "", ErrNoCommit
	}
	if err != nil {
		return "", err
	}
	if main == branch {
		return "", &BranchError{fmt.Sprintf("branch %s is checked out in the project itself", branch)}
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", &BranchError{dir + ", the place of its files, is not a directory"}
	}
	return main, nil
}

func (r *Repo) addWorktree(ctx context.Context, dir, branch string) error {
	args := []string{"add", "--quiet", dir, branch}
	if _, err := command(ctx, r.Top, gitRevParse, "--verify", "--quiet", "refs/heads/"+branch); err != nil {
		args = []string{"add", "--quiet", "-b", branch, dir}
	}
	if r.Box != nil { // git can write the files only in the box, and .git/worktrees only beside it
		args = slices.Insert(args, 1, "--no-checkout")
	}
	_, err := r.run(ctx, call{}, gitWorktree, args...)
	if err == nil && r.Box != nil {
		_, err = r.linked(dir).run(ctx, call{}, gitReadTree, "-m", "-u", "HEAD")
	}
	if refused, ok := errors.AsType[*Error](err); ok && !OfSystem(err) {
		return &Conflict{
			fmt.Sprintf("git cannot create a working tree for branch %s: %s", branch, refused.Said),
			"fix what git reports (`git worktree prune` removes the entries of missing directories)",
		}
	}
	return err
}

// linked returns the repository as a linked working tree in a directory has it.
func (r *Repo) linked(dir string) *Repo { return &Repo{dir, r.Prefix, r.Accepted, r.Box, r.NoFilters} }

// CheckedOut is the branch of a working tree, its commit when there is none.
func (r *Repo) CheckedOut(ctx context.Context) (string, error) {
	out, err := command(ctx, r.Top, gitRevParse, "--symbolic-full-name", "HEAD")
	if name, is := strings.CutPrefix(strings.TrimSpace(out), "refs/heads/"); err == nil && is {
		return name, nil
	}
	return r.Head(ctx)
}

// Dir is the project's place in the working tree.
func (w *Worktree) Dir() string { return filepath.Join(w.Top, filepath.FromSlash(w.Prefix)) }

// Update rebases the branch on the one that it follows, if it is clean (with the branch checked
// out), behind and without merge commits of its own that this one lacks: a rebase would lose what such commits change
// themselves, like the solution of a conflict. rebased is false if nothing was done, and held if that was because of such
// commits. A *Conflict leaves the rebase as git stopped it.
func (w *Worktree) Update(ctx context.Context, clean bool) (rebased, held bool, err error) {
	if w.Rebasing(ctx) {
		c := w.conflict("a rebase is unfinished")
		c.Next = fmt.Sprintf("look at its commands with `git rebase --edit-todo` in %s, since the agent may have changed them; then run `git rebase --continue` there, or `git rebase --abort`", w.Top)
		return false, false, c
	}
	if !clean {
		return false, false, nil
	}
	behind, err := w.behind(ctx)
	if err != nil || !behind {
		return false, false, err
	}
	merges, err := command(ctx, w.Top, gitRevList, "--max-count=1", "--merges", "HEAD", "--not", revision(w.Main))
	if err != nil || merges != "" {
		return false, err == nil, err
	}
	list, err := w.states(ctx)
	if err == nil {
		err = w.checkStates(list)
	}
	if err != nil {
		return false, false, err
	}
	_, err = w.run(ctx, call{}, gitRebase, "--quiet", "--no-autostash", revision(w.Main))
	if refused, ok := errors.AsType[*Error](err); ok && !OfSystem(err) {
		return false, false, w.conflict(refused.Said)
	}
	if err == nil && w.Box != nil {
		err = w.afterRebase(ctx)
	}
	return true, false, err
}

// afterRebase removes what a rebase in the box leaves: there, git cannot create packed-refs.lock, and without it removes no
// references.
func (w *Worktree) afterRebase(ctx context.Context) error {
	dir, err := dirOf(ctx, w.Top)
	if err != nil {
		return err
	}
	for _, name := range []string{"CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// behind reports whether the branch lacks commits of the one that it follows.
func (w *Worktree) behind(ctx context.Context) (bool, error) {
	_, err := command(ctx, w.Top, gitBase, "--is-ancestor", revision(w.Main), "HEAD")
	if refused, ok := errors.AsType[*Error](err); ok && refused.Code == 1 {
		return true, nil
	}
	return false, err
}

func (w *Worktree) conflict(why string) *Conflict {
	look := ""
	if w.Box != nil { // a merge driver in the box may have changed them
		look = ", look at the commands with `git rebase --edit-todo`"
	}
	return &Conflict{
		fmt.Sprintf("branch %s cannot be rebased on %s: %s", w.Branch, w.Main, why),
		fmt.Sprintf("solve it in %s%s and run `git rebase --continue` there, or `git rebase --abort`", w.Top, look),
	}
}

// Forget takes back what git keeps of a working tree that was not made to its end and
// whose directory is no longer there: what git knows of it, and the lock of its branch,
// if it was made between two moments (see Unlock).
func (r *Repo) Forget(ctx context.Context, dir, branch string, after, before time.Time) error {
	admin, err := adminOf(ctx, r.Top, dir)
	if err != nil {
		return err
	}
	if admin != "" {
		if err := os.RemoveAll(admin); err != nil {
			return err
		}
	}
	return r.drop(ctx, "refs/heads/"+branch+".lock", after, before)
}

// adminOf is where git keeps what it knows of a working tree; "" for nowhere.
func adminOf(ctx context.Context, top, dir string) (string, error) {
	common, err := (&Repo{Top: top}).commonDir(ctx)
	if err != nil {
		return "", err
	}
	trees := filepath.Join(common, "worktrees")
	list, err := os.ReadDir(trees)
	for _, e := range list {
		data, err := projectfile.Read(filepath.Join(trees, e.Name(), "gitdir"), maxFile)
		if err == nil && filepath.Clean(strings.TrimSpace(string(data))) == filepath.Join(dir, ".git") {
			return filepath.Join(trees, e.Name()), nil
		}
	}
	if gone(err) {
		err = nil
	}
	return "", err
}
