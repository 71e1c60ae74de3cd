package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
	if err := l.store.writeJSON(makingFile, making{by, dir, l.o.Config.Worktree}); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	return l.store.remove(makingFile)
}

// unmake takes back a working tree that a killed loop left half made: nobody has
// worked in it. What is there goes to logs, all the same.
func (l *Loop) unmake(ctx context.Context, r *repo) error {
	note, err := os.Stat(l.store.path(makingFile))
	if gone(err) {
		return nil
	}
	var m making
	found, _, rerr := l.store.readJSON(makingFile, &m, func() bool { return m.Dir != "" && m.Branch != "" })
	if err := errors.Join(err, rerr); err != nil || !found {
		return err
	}
	admin, err := r.adminOf(ctx, m.Dir)
	if err != nil {
		return err
	}
	aside := filepath.Join(l.store.dir, LogsDir, fmt.Sprintf("worktree_%s_cut", stamp(l.now())))
	if err := os.Rename(m.Dir, aside); err != nil && !gone(err) {
		return err
	}
	if admin != "" {
		if err := os.RemoveAll(admin); err != nil {
			return err
		}
	}
	if m.By.Start > 0 {
		ref, err := r.gitPath(ctx, "refs/heads/"+m.Branch+".lock")
		if err := errors.Join(err, l.drop(ctx, ref, note.ModTime())); err != nil {
			return err
		}
	}
	return l.store.remove(makingFile)
}

// adminOf is where git keeps what it knows of a working tree; "" for nowhere.
func (r *repo) adminOf(ctx context.Context, dir string) (string, error) {
	trees, err := git(ctx, r.top, gitRevParse, "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return "", err
	}
	trees = filepath.Join(strings.TrimSuffix(trees, "\n"), "worktrees")
	list, err := os.ReadDir(trees)
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(trees, e.Name(), "gitdir"))
		if err == nil && filepath.Clean(strings.TrimSpace(string(data))) == filepath.Join(dir, ".git") {
			return filepath.Join(trees, e.Name()), nil
		}
	}
	if gone(err) {
		err = nil
	}
	return "", err
}
