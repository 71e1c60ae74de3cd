package loop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

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
func (l *Loop) writes(pid int, head, tag string) error {
	p, _ := proctree.Seen(pid) // nothing is known of it: no lock will be its own
	return l.store.writeJSON(writingFile, writing{p, head, tag})
}

// release makes up for a git of a killed loop. What it committed and did not get
// to note in the index is staged. Locks of the branch that it left are removed: they
// are its own when they are newer than the note, older than this process, and that
// git is dead. A git that lives holds such a lock for milliseconds, so that one
// which stays has nobody.
func (l *Loop) release(ctx context.Context) error {
	i, err := l.tree.repo.index(ctx)
	if err := errors.Join(err, i.sweep()); err != nil {
		return err
	}
	note, err := os.Stat(l.store.path(writingFile))
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var w writing
	found, _, err := l.store.readJSON(writingFile, &w, func() bool { return true })
	if err != nil || !found {
		return err
	}
	if w.By.Start > 0 {
		if err := l.unlock(ctx, w, note.ModTime()); err != nil {
			return err
		}
	}
	now, err := l.tree.repo.head(ctx)
	if refused, ok := errors.AsType[*gitError](err); err == nil && now != w.Head {
		err = l.restage(ctx)
	} else if ok && refused.code >= 0 { // there is no commit yet
		err = nil
	}
	return errors.Join(err, l.store.remove(writingFile))
}

// restage puts what was committed into the index.
func (l *Loop) restage(ctx context.Context) error {
	data, err := readFile(l.store.path(pathsFile))
	if err != nil {
		return err
	}
	return l.tree.repo.stage(ctx, readChange(string(data)))
}

// unlock removes the locks of one that is dead.
func (l *Loop) unlock(ctx context.Context, w writing, noted time.Time) error {
	dead := func() (bool, error) {
		p, lives := proctree.Seen(w.By.PID)
		return !lives || p.Start != w.By.Start, nil
	}
	if err := patiently(ctx, dead); errors.Is(err, errHeld) {
		return fmt.Errorf("%v, the git of a loop that was killed, still works", w.By)
	} else if err != nil {
		return err
	}
	paths, err := l.tree.repo.branchLocks(ctx, w)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := l.drop(ctx, path, noted); err != nil {
			return err
		}
	}
	return nil
}

// branchLocks are the files with which git locks a branch and its tag.
func (r *repo) branchLocks(ctx context.Context, w writing) ([]string, error) {
	head, err := r.gitPath(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	names := []string{"HEAD.lock"}
	content, err := os.ReadFile(head)
	if ref, on := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "); on {
		names = append(names, ref+".lock")
	}
	if w.Tag != "" {
		names = append(names, "refs/tags/"+w.Tag+".lock")
	}
	paths := make([]string, len(names))
	for i, name := range names {
		var perr error
		paths[i], perr = r.gitPath(ctx, name)
		err = errors.Join(err, perr)
	}
	return paths, err
}

// orphaned is how long a lock must stay as it is before nobody holds it.
const orphaned = time.Second

// drop removes a lock that was made after a moment and before this process, and
// that nobody takes away in a time in which a git that lives would.
func (l *Loop) drop(ctx context.Context, path string, after time.Time) error {
	first, err := os.Lstat(path)
	if err != nil || first.ModTime().Before(after) || first.ModTime().After(l.since) {
		return nil // git itself says what is wrong with it
	}
	deadline := time.Now().Add(orphaned)
	var now fs.FileInfo
	err = patiently(ctx, func() (bool, error) {
		now, err = os.Lstat(path)
		return err != nil || !os.SameFile(first, now) || time.Now().After(deadline), nil
	})
	if err != nil || now == nil || !os.SameFile(first, now) || !now.ModTime().Equal(first.ModTime()) {
		return err
	}
	return os.Remove(path)
}
