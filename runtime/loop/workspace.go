package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
)

// workspace is the tree in which the agent works, with the means to find its changes.
type workspace struct {
	*run
	tree      *git.Tree
	worktree  *git.Worktree // nil: the agent works in the project
	checkouts *checkouts
	last      *git.Snapshot // the tree after the last turn and its commit, if nothing happened since
	whole     *box.Box      // where agents and checks run; nil: without a box. See box
}

// open opens the tree in which the agent works.
func (w *workspace) open(ctx context.Context) (err error) {
	var notOpen error // the working tree exists with another branch; the summary reports where the work is
	dir := w.project
	r, err := git.Open(ctx, dir)
	if err != nil && !errors.Is(err, git.ErrNoRepository) {
		return err
	}
	if r != nil {
		r.Accepted, r.Box = w.accepted, w.gitBox()
	}
	c := w.config
	if err := needsGit(ctx, c, dir, r); err != nil {
		return err
	}
	if c.Tag && !c.Commit {
		w.noteAbout(TopicTag, "tags mark only commits that the agent makes itself")
	}
	if c.Worktree != "" && !c.Commit {
		w.noteAbout(TopicWorktree, fmt.Sprintf("changes that the agent does not commit stay in %s, and a merge of %s leaves them out", layout.Worktree(c.Worktree), c.Worktree))
	}
	if c.Worktree != "" {
		if err := w.prune(ctx, r); err != nil {
			return err
		}
		w.worktree, notOpen = w.openWorktree(ctx, r)
		if w.worktree == nil {
			return worktreeStop(notOpen)
		}
		dir = w.worktree.Dir()
		if h := w.store.Holder(); h.PID == os.Getpid() {
			h.Dir, _ = filepath.Rel(w.project, dir) // it lies inside
			w.store.Sign(h)
		}
		rel, _ := projectfile.Relative(w.store.Path(""), dir) // it lies inside
		if err := w.store.Files().Mkdir(rel, 0o777); err != nil {
			return err
		}
	}
	if w.worktree == nil {
		w.tree = r.Tree(dir, layout.IsRecord)
	} else if w.tree, err = w.openTree(ctx, dir); err != nil {
		return cmp.Or(notOpen, err)
	}
	err = w.checkouts.open(ctx, r)
	if err == nil && w.worktree != nil && notOpen == nil {
		err = w.noteAbsent(ctx, r)
	}
	return cmp.Or(notOpen, err)
}

// openTree returns a tree whose snapshots omit the loop's own files.
func (w *workspace) openTree(ctx context.Context, dir string) (*git.Tree, error) {
	t, err := git.OpenTree(ctx, dir, layout.IsRecord)
	if t.Repo != nil {
		t.Repo.Accepted, t.Repo.Box = w.accepted, w.gitBox()
	}
	return t, err
}

// GitRisks returns what makes git run programs of the repository that contains a directory, such as filters in its
// settings, or use files outside of it, for example through symbolic links, as "FILE: key = value", for [Options]. It
// also returns the top of the working tree. Both are empty outside of a repository. Errors: files that git cannot read,
// or would read without end; those of git and of ctx.
func GitRisks(ctx context.Context, dir string) (top string, list []string, err error) {
	return git.Risks(ctx, dir)
}

// needsGit returns the stop for settings that need a repository if there is none.
func needsGit(ctx context.Context, c *config.Config, dir string, r *git.Repo) error {
	if r != nil || !c.Commit && !c.Tag && c.Worktree == "" {
		return nil
	}
	s := &Stop{
		Reason: ReasonNoRepository, Message: "The project is not in a git repository, which commits, tags and worktrees need.",
		Fix: "run `git init` in the project",
	}
	if _, err := exec.LookPath("git"); err != nil {
		s = &Stop{Reason: ReasonGitMissing, Message: "Git is not installed; commits, tags and worktrees need it.", Fix: "install git", Err: err}
	} else if git.Bare(ctx, dir) {
		s.Message = "The project is inside a git repository's own directory, a bare one or .git; commits, tags and worktrees need a working tree."
		s.Fix = "make a working tree with `git worktree add ../DIR` and run ripple there"
	} else if git.Foreign(ctx, dir) {
		s.Message = "The project's git repository belongs to another user, and git refuses to use it."
		s.Fix = "review its configuration, which can run programs, and add its directory to git's setting safe.directory"
	}
	return s
}

// planOf counts the boxes in the task list of an agent that works in dir. A missing list has
// none.
func planOf(project, dir string) (record.Plan, error) {
	list, err := record.ReadTasks(project, dir)
	return list.Count(), err
}

// task returns the first open task of the plan. Errors are ignored: other callers report
// them.
func (w *workspace) task() string {
	list, _ := record.ReadTasks(w.project, w.tree.Dir)
	return list.Next()
}

// planForAgent returns the path of the task list, as seen from the agent's directory.
func (w *workspace) planForAgent() string {
	name := layout.PlanIn(w.project, w.tree.Dir)
	if w.config.Worktree != "" && !strings.Contains(name, "/") { // it is the project's
		return w.store.Path(name)
	}
	return w.planInProject()
}

// planInProject returns the path of the task list in the project.
func (w *workspace) planInProject() string {
	return layout.Dir + "/" + path.Base(layout.PlanIn(w.project, w.tree.Dir))
}
