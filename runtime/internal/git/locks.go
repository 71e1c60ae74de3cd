package git

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"time"

	"example.org/ripple/internal/projectfile"
)

// Sweep removes the copies of the index that a killed process left, and its lock.
func (r *Repo) Sweep(ctx context.Context) error {
	i, err := r.index(ctx)
	if err != nil {
		return err
	}
	return i.sweep()
}

// Unlock removes the locks of the branch that is checked out, and of a tag unless it
// is "", which a git left that is dead: they were made between two moments, after was
// on the disk before that git began, and before is younger than its end. A git that
// lives holds such a lock for milliseconds, so that one which stays has nobody.
func (r *Repo) Unlock(ctx context.Context, tag string, after, before time.Time) error {
	names, err := r.branchLocks(ctx, tag)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := r.drop(ctx, name, after, before); err != nil {
			return err
		}
	}
	return nil
}

// branchLocks are the files with which git locks a branch and its tag.
func (r *Repo) branchLocks(ctx context.Context, tag string) ([]string, error) {
	head, err := pathOf(ctx, r.Top, "HEAD")
	if err != nil {
		return nil, err
	}
	names := []string{"HEAD.lock"}
	content, err := projectfile.Read(head, maxFile)
	if ref, on := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "); on {
		names = append(names, ref+".lock")
	}
	if tag != "" {
		names = append(names, "refs/tags/"+tag+".lock")
	}
	return names, err
}

// orphaned is how long a lock must stay as it is before nobody holds it.
const orphaned = time.Second

// drop removes a lock by git's name of it.
func (r *Repo) drop(ctx context.Context, name string, after, before time.Time) error {
	path, err := pathOf(ctx, r.Top, name)
	if err != nil {
		return err
	}
	return drop(ctx, path, after, before)
}

// drop removes a lock that was made between two moments, and that nobody takes away in
// a time in which a git that lives would.
func drop(ctx context.Context, path string, after, before time.Time) error {
	first, err := os.Lstat(path)
	if err != nil || first.ModTime().Before(after) || first.ModTime().After(before) {
		return nil // git itself says what is wrong with it
	}
	deadline := time.Now().Add(orphaned)
	var now fs.FileInfo
	err = Patiently(ctx, func() (bool, error) {
		now, err = os.Lstat(path)
		return err != nil || !os.SameFile(first, now) || time.Now().After(deadline), nil
	})
	if err != nil || now == nil || !os.SameFile(first, now) || !now.ModTime().Equal(first.ModTime()) {
		return err
	}
	return os.Remove(path)
}
