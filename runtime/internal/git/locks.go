package git

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
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

// Unlock removes locks that a dead git process left on the checked out branch and, unless it is "",
// on a tag. Only locks made between two times are removed: after precedes the start of that process,
// before follows its end. A running git holds such a lock for milliseconds only, so a lock that stays
// has no owner.
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

// branchLocks returns the names of the files with which git locks the checked out branch and a tag.
func (r *Repo) branchLocks(ctx context.Context, tag string) ([]string, error) {
	dir, err := dirOf(ctx, r.Top)
	if err != nil {
		return nil, err
	}
	names := []string{"HEAD.lock"}
	content, err := projectfile.Read(filepath.Join(dir, "HEAD"), maxFile)
	if ref, on := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "); on {
		names = append(names, ref+".lock")
	}
	if tag != "" {
		names = append(names, "refs/tags/"+tag+".lock")
	}
	return names, err
}

// orphaned is how long a lock must remain unchanged to count as a lock without an owner.
const orphaned = time.Second

// drop removes a lock by git's name of it. The name of a branch or a tag may come from a file of the project: one that
// git does not accept could lead out of the repository.
func (r *Repo) drop(ctx context.Context, name string, after, before time.Time) error {
	if ref := strings.TrimSuffix(name, ".lock"); ref != "HEAD" {
		if !strings.HasPrefix(ref, "refs/") {
			return nil
		}
		if _, err := command(ctx, r.Top, gitCheckRef, ref); Ended(err) {
			return nil
		} else if err != nil {
			return err
		}
	}
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
