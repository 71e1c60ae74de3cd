package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
	"ripple/runtime/proctree"
)

// writing is the process that is about to write to the branch: git, or the one
// that starts it. It is on the disk before: a lock of the branch that is newer can
// be its own, and one that is older cannot.
type writing struct {
	By   proctree.Process `json:"by"`
	Head string           `json:"head"` // before it
	Tag  string           `json:"tag,omitempty"`
}

// writes notes who writes.
func (c *committer) writes(pid int, head, tag string) error {
	p, _ := proctree.Seen(pid) // nothing is known of it: no lock will be its own
	return c.store.WriteJSON(layout.WritingFile, writing{p, head, tag})
}

// release makes up for a git of a killed loop. What it committed and did not get
// to note in the index is staged. Locks of the branch that it left are removed: they
// are its own when they are newer than the note, older than this process, and that
// git is dead. A git that lives holds such a lock for milliseconds, so that one
// which stays has nobody.
func (c *committer) release(ctx context.Context) error {
	if err := c.work.tree.Repo.Sweep(ctx); err != nil {
		return err
	}
	note, err := os.Stat(c.store.Path(layout.WritingFile))
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var w writing
	found, _, err := c.store.ReadJSON(layout.WritingFile, &w, func() bool { return true })
	if err != nil || !found {
		return err
	}
	if w.By.Start > 0 {
		if err := c.unlock(ctx, w, note.ModTime()); err != nil {
			return err
		}
	}
	now, err := c.work.tree.Repo.Head(ctx)
	if err == nil && now != w.Head {
		err = c.restage(ctx)
	} else if git.Ended(err) { // there is no commit yet
		err = nil
	}
	return errors.Join(err, c.store.Remove(layout.WritingFile))
}

// restage puts what was committed into the index.
func (c *committer) restage(ctx context.Context) error {
	data, err := layout.ReadFile(c.store.Path(layout.PathsFile))
	if err != nil {
		return err
	}
	return c.work.tree.Repo.Stage(ctx, git.ReadChange(string(data)))
}

// unlock removes the locks of one that is dead.
func (c *committer) unlock(ctx context.Context, w writing, noted time.Time) error {
	dead := func() (bool, error) {
		p, lives := proctree.Seen(w.By.PID)
		return !lives || p.Start != w.By.Start, nil
	}
	if err := git.Patiently(ctx, dead); errors.Is(err, git.ErrHeld) {
		return fmt.Errorf("%v, the git of a loop that was killed, still works", w.By)
	} else if err != nil {
		return err
	}
	return c.work.tree.Repo.Unlock(ctx, w.Tag, noted, c.since)
}
