package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// worktree is the working tree of its own in which --worktree runs the agent.
type worktree struct {
	*repo
	branch string
	main   string // branch or commit of the project that it follows
}

// conflictError is work that only a person can go on with. Everything was left
// in place.
type conflictError struct{ why, next string }

func (e *conflictError) Error() string { return e.why + ". " + e.next }

// openWorktree makes or reuses the working tree of a branch. make has it made in
// a directory that is not there.
func (r *repo) openWorktree(ctx context.Context, project, branch string, make func(dir string, add func() error) error) (*worktree, error) {
	main, err := r.follows(ctx, project, branch)
	if err != nil {
		return nil, err
	}
	dir := worktreeDir(project, branch)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := make(dir, func() error { return r.addWorktree(ctx, dir, branch) }); err != nil {
			return nil, err
		}
	}
	w := &worktree{&repo{dir, r.prefix}, branch, main}
	found, err := w.checkedOut(ctx)
	if err != nil {
		return nil, err
	}
	if found != branch && !w.rebasing(ctx) {
		return nil, &conflictError{
			fmt.Sprintf("%s has %s checked out and not %s", dir, found, branch),
			fmt.Sprintf("Put %s back on that branch, or name another one with --worktree", dir),
		}
	}
	return w, nil
}

// follows is the branch of the project that another is to follow; an error where it
// cannot be that one's name. It changes nothing.
func (r *repo) follows(ctx context.Context, project, branch string) (main string, err error) {
	if _, err := git(ctx, project, gitCheckRef, "--branch", branch); err != nil || strings.HasPrefix(branch, "-") {
		return "", branchStop(fmt.Sprintf("%q is no name for a branch", branch))
	}
	main, err = r.checkedOut(ctx)
	if _, failed := errors.AsType[*gitError](err); failed {
		return "", &Stop{
			Reason: ReasonError, ExitCode: ExitMissing, Why: "The repository has no commit yet, and --worktree needs one to begin with.",
			Next: "Commit something, or leave the option out.",
		}
	}
	if err != nil {
		return "", err
	}
	if main == branch {
		return "", branchStop(fmt.Sprintf("branch %s is checked out in the project itself", branch))
	}
	dir := worktreeDir(project, branch)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", branchStop(dir + ", where its files would be, is no directory")
	}
	return main, nil
}

// worktreeDir is where the files of a branch are.
func worktreeDir(project, branch string) string {
	return filepath.Join(project, Dir, filepath.FromSlash(branch)+worktreeSuffix)
}

func branchStop(why string) *Stop {
	return &Stop{Reason: ReasonError, ExitCode: ExitUsage, Why: "The branch of --worktree cannot be used: " + why + ".", Next: "Name another branch."}
}

func (r *repo) addWorktree(ctx context.Context, dir, branch string) error {
	args := []string{"add", "--quiet", dir, branch}
	if _, err := git(ctx, r.top, gitRevParse, "--verify", "--quiet", "refs/heads/"+branch); err != nil {
		args = []string{"add", "--quiet", "-b", branch, dir}
	}
	_, err := git(ctx, r.top, gitWorktree, args...)
	if refused, ok := errors.AsType[*gitError](err); ok {
		return &conflictError{
			fmt.Sprintf("git makes no working tree of branch %s: %s", branch, refused.said),
			"Put right what git says (`git worktree prune` forgets those whose directory is gone), then start again",
		}
	}
	return err
}

// checkedOut is the branch of a working tree, its commit when there is none.
func (r *repo) checkedOut(ctx context.Context) (string, error) {
	out, err := git(ctx, r.top, gitRevParse, "--abbrev-ref", "HEAD")
	if name := strings.TrimSpace(out); err == nil && name != "HEAD" {
		return name, nil
	}
	return r.head(ctx)
}

// dir is where the agent works: the project's place in the worktree.
func (w *worktree) dir() string { return filepath.Join(w.top, filepath.FromSlash(w.prefix)) }

// update rebases the branch on the one that it follows, if it is clean and
// behind. A *conflictError leaves the rebase as git stopped it.
func (w *worktree) update(ctx context.Context, clean bool) error {
	if w.rebasing(ctx) {
		return w.conflict("a rebase is unfinished")
	}
	if !clean {
		return nil
	}
	_, err := git(ctx, w.top, gitBase, "--is-ancestor", w.main, "HEAD")
	if refused, ok := errors.AsType[*gitError](err); !ok || refused.code != 1 {
		return err
	}
	_, err = git(ctx, w.top, gitRebase, "--quiet", "--no-autostash", w.main)
	if refused, ok := errors.AsType[*gitError](err); ok {
		return w.conflict(refused.said)
	}
	return err
}

func (w *worktree) conflict(why string) error {
	return &conflictError{
		fmt.Sprintf("branch %s cannot be rebased on %s: %s", w.branch, w.main, why),
		fmt.Sprintf("Solve it in %s and run `git rebase --continue` there, or `git rebase --abort`; then start again with --resume", w.top),
	}
}

// rebasing says whether a rebase is under way in the working tree.
func (w *worktree) rebasing(ctx context.Context) bool {
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		out, err := git(ctx, w.top, gitRevParse, "--path-format=absolute", "--git-path", name)
		if err != nil {
			continue
		}
		if _, err := os.Stat(strings.TrimSuffix(out, "\n")); err == nil {
			return true
		}
	}
	return false
}
