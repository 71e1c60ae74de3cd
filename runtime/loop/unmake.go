package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
	"ripple/runtime/proctree"
)

// making is a working tree while git makes it. It is on the disk before and is
// removed after, so that a killed loop leaves it where the tree is not whole.
type making struct {
	By     proctree.Process `json:"by"`
	Dir    string           `json:"dir"` // was not there
	Branch string           `json:"branch"`
}

func (l *Loop) make(dir string, add func() error) error {
	by, _ := proctree.Seen(os.Getpid()) // unknown elsewhere
	if err := l.store.WriteJSON(layout.MakingFile, making{by, dir, l.o.Config.Worktree}); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	return l.store.Remove(layout.MakingFile)
}

// unmake takes back a working tree that a killed loop left half made: nobody has
// worked in it. What is there goes to logs, all the same.
func (l *Loop) unmake(ctx context.Context, r *git.Repo) error {
	note, err := os.Stat(l.store.Path(layout.MakingFile))
	if gone(err) {
		return nil
	}
	var m making
	found, _, rerr := l.store.ReadJSON(layout.MakingFile, &m, func() bool { return m.Dir != "" && m.Branch != "" })
	if err := errors.Join(err, rerr); err != nil || !found {
		return err
	}
	aside := filepath.Join(l.store.Path(layout.LogsDir), fmt.Sprintf("worktree_%s_cut", record.Stamp(l.now())))
	if err := os.Rename(m.Dir, aside); err != nil && !gone(err) {
		return err
	}
	before := l.since
	if m.By.Start == 0 { // nothing is known of who made it: no lock is its own
		before = time.Time{}
	}
	if err := r.Forget(ctx, m.Dir, m.Branch, note.ModTime(), before); err != nil {
		return err
	}
	return l.store.Remove(layout.MakingFile)
}
