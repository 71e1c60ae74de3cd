package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/proctree"
)

// writing identifies the process that is about to write to the branch: git, or its parent. It is
// written to disk first: a newer lock of the branch may belong to the process, an older one
// cannot.
type writing struct {
	By   proctree.Process `json:"by"`
	Head string           `json:"head"` // commit before the write
	Tag  string           `json:"tag,omitempty"`
}

// writes records the process that writes.
func (c *committer) writes(pid int, head, tag string) error {
	p, _ := proctree.Find(pid) // if unknown, no lock counts as its own
	return c.store.WriteJSON(layout.WritingFile, writing{p, head, tag})
}

// release cleans up after the git process of a killed loop. It stages files that git committed
// without updating the index. It removes locks left on the branch: they belong to that git
// process if they are newer than the record, older than this process, and the git process is
// dead. A live git process holds such a lock for milliseconds, so a lock that remains has no
// owner.
func (c *committer) release(ctx context.Context) error {
	if err := c.work.tree.Repo.Sweep(ctx); err != nil {
		return err
	}
	note, err := c.store.Files().Stat(layout.WritingFile)
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
	} else if git.Ended(err) { // no commit exists yet
		err = nil
	}
	return errors.Join(err, c.store.Remove(layout.WritingFile))
}

// restage stages the committed files in the index.
func (c *committer) restage(ctx context.Context) error {
	data, err := layout.Read(c.project, layout.PathsFile)
	if err != nil {
		return err
	}
	return c.work.tree.Repo.Stage(ctx, git.ReadChange(string(data)))
}

// unlock removes the locks of a dead process.
func (c *committer) unlock(ctx context.Context, w writing, noted time.Time) error {
	dead := func() (bool, error) {
		p, lives := proctree.Find(w.By.PID)
		return !lives || p.Start != w.By.Start, nil
	}
	if err := git.Patiently(ctx, dead); errors.Is(err, git.ErrHeld) {
		return fmt.Errorf("%v, a git process of a killed loop, is still running", w.By)
	} else if err != nil {
		return err
	}
	return c.work.tree.Repo.Unlock(ctx, w.Tag, noted, c.since)
}
