package loop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/config"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// workspace is where the agent works, and how its changes are seen.
type workspace struct {
	*run
	tree     *git.Tree
	worktree *git.Worktree // nil: the agent works in the project
	last     *git.Snapshot // the tree after the last turn, if nothing happened since
}

// open finds out where the agent works and how changes are seen.
func (w *workspace) open(ctx context.Context) (err error) {
	dir := w.project
	r, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	c := w.config
	if err := needsGit(ctx, c, dir, r); err != nil {
		return err
	}
	if c.Tag && !c.Commit {
		w.noteAbout(TopicTag, "tags mark only what the agent commits itself")
	}
	if c.Worktree != "" {
		if err := w.prune(ctx, r); err != nil {
			return err
		}
		if w.worktree, err = w.openWorktree(ctx, r); err != nil {
			return worktreeStop(err)
		}
		dir = w.worktree.Dir()
		if h := w.store.Holder(); h.PID == os.Getpid() {
			h.Dir, _ = filepath.Rel(w.project, dir) // it lies inside
			w.store.Sign(h)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	w.tree, err = openTree(ctx, dir)
	return err
}

// openTree takes snapshots of where the agent works, the loop's own files left out.
func openTree(ctx context.Context, dir string) (*git.Tree, error) {
	return git.OpenTree(ctx, dir, layout.IsRecord)
}

// needsGit is the stop for a setting that needs a repository where there is none.
func needsGit(ctx context.Context, c *config.Config, dir string, r *git.Repo) error {
	if r != nil || !c.Commit && !c.Tag && c.Worktree == "" {
		return nil
	}
	s := &Stop{
		Reason: ReasonNoRepository, Why: "The project is in no git repository, which commits, tags and a working tree of its own need.",
		Do: "run `git init` in the project",
	}
	if _, err := exec.LookPath("git"); err != nil {
		s = &Stop{Reason: ReasonGitMissing, Why: "Git is not installed, and commits, tags and a working tree of its own need it.", Do: "install git", Err: err}
	} else if git.Bare(ctx, dir) {
		s.Why = "The project is inside of a git repository's own directory, a bare one or .git, and commits, tags and a working tree of its own need files."
		s.Do = "make a working tree with `git worktree add ../DIR` and run ripple there"
	}
	return s
}

// planPath is the task list that the agent sees: in a worktree its own.
func (w *workspace) planPath() string { return layout.PlanIn(w.project, w.tree.Dir) }

// planOf counts the boxes of a task list; one that is not there has none.
func planOf(path string) (record.Plan, error) {
	list, err := record.ReadTasks(path)
	return list.Count(), err
}

// task is what the plan has the agent do next. That it cannot be read is said
// elsewhere.
func (w *workspace) task() string {
	list, _ := record.ReadTasks(w.planPath())
	return list.Next()
}

// planForAgent is its name as the agent, in its directory, finds it.
func (w *workspace) planForAgent() string {
	if path := w.planPath(); w.worktree != nil && path == w.store.Path(layout.PlanFile) {
		return path
	}
	return layout.Dir + "/" + layout.PlanFile
}
