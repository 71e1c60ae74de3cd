package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/internal/projectfile"
)

// index is where git keeps the index of a working tree, and beside it two copies of
// the loop's own, in which its git works: a kill leaves a lock on a
// copy, and the index itself is free. One becomes the index, of the other the commit
// is made.
//
// A copy that is ready takes the index's place as git would do it. The lock is
// another name of the copy, so that a lock which a killed loop left is known by
// being the same file, and is never taken for that of somebody else.
type index struct{ path, lock, own, tree string }

func (r *Repo) index(ctx context.Context) (index, error) {
	if _, err := r.examine(ctx, nil, false); err != nil { // files beside the index are written before git runs
		return index{}, err
	}
	return r.findIndex(ctx)
}

// findIndex is like index, but does not examine the repository.
func (r *Repo) findIndex(ctx context.Context) (index, error) {
	path, err := pathOfIndex(ctx, r.Top)
	if real, linked := filepath.EvalSymlinks(path); linked == nil {
		path = real // git locks what a link leads to
	}
	place := sha256.Sum256([]byte(r.Prefix)) // projects in one working tree have each their own
	own := filepath.Join(filepath.Dir(path), "ripple-index-"+hex.EncodeToString(place[:4]))
	return index{path, path + ".lock", own, own + "-tree"}, err
}

// sweep removes what a killed loop left.
func (i index) sweep() error {
	own, err := os.Lstat(i.own)
	lock, lockErr := os.Lstat(i.lock)
	if err == nil && lockErr == nil && os.SameFile(own, lock) {
		if err := os.Remove(i.lock); err != nil {
			return err
		}
	}
	for _, path := range []string{i.own + ".lock", i.own, i.tree + ".lock", i.tree} {
		if err := os.Remove(path); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// copied is the index of which a copy was made; the zero value stands for no index, as in a
// repository without a commit.
type copied struct{ of fs.FileInfo }

// copy renews the copy.
func (i index) copy() (c copied, err error) {
	if err := i.sweep(); err != nil {
		return c, err
	}
	from, err := projectfile.Open(i.path)
	if gone(err) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer from.Close() // only read from
	of, err := from.Stat()
	if err != nil {
		return c, err
	}
	for _, path := range []string{i.own, i.tree} {
		if err := copyIndex(from, path, of); err != nil {
			return c, err
		}
	}
	return copied{of}, nil
}

func copyIndex(from *os.File, path string, of fs.FileInfo) error {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, of.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.NewSectionReader(from, 0, of.Size()))
	// Git looks into files that are not older than its index: the copy is as old.
	return errors.Join(err, to.Close(), os.Chtimes(path, of.ModTime(), of.ModTime()))
}

// replace puts the copy in the index's place, if that is still what was copied
// and nobody holds it.
func (i index) replace(c copied) (done bool, err error) {
	if taken, err := i.take(); !taken {
		return false, err
	}
	now, err := os.Stat(i.path)
	of := c.of
	same := err == nil && of != nil && os.SameFile(of, now) && of.ModTime().Equal(now.ModTime()) && of.Size() == now.Size()
	if !same && (of != nil || !gone(err)) {
		return false, os.Remove(i.lock)
	}
	if err := os.Rename(i.lock, i.path); err != nil {
		return false, errors.Join(err, os.Remove(i.lock))
	}
	return true, os.Remove(i.own)
}

// take locks the index with the copy; false without an error: it is locked.
// A file system without links gets a second copy, of which nobody knows later
// whose it was.
func (i index) take() (taken bool, err error) {
	err = os.Link(i.own, i.lock)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err == nil, nil
	}
	data, err := projectfile.Read(i.own, maxTable)
	if err != nil {
		return false, err
	}
	f, err := os.OpenFile(i.lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err = f.Write(data); err == nil {
		return true, f.Close()
	}
	return false, errors.Join(err, f.Close(), os.Remove(i.lock))
}

// lockWait is how long another git may hold a lock.
const lockWait = 10 * time.Second

// Stage puts a change into the index.
func (r *Repo) Stage(ctx context.Context, ch Change) error {
	i, err := r.index(ctx)
	if err != nil {
		return err
	}
	err = Patiently(ctx, func() (bool, error) {
		copied, err := i.copy()
		if err != nil {
			return false, err
		}
		if err := r.apply(ctx, i.own, ch, nil); err != nil {
			return false, err
		}
		return i.replace(copied)
	})
	if errors.Is(err, ErrHeld) {
		return fmt.Errorf("%s exists: another git process is running, or was killed; if none is running, remove the file", i.lock)
	}
	return errors.Join(err, i.sweep())
}

// ErrHeld says that something was not free in the time that another may take.
var ErrHeld = errors.New("in use by another process")

// Patiently tries until it is done, or as long as another process may take, 10 s.
func Patiently(ctx context.Context, try func() (done bool, err error)) error {
	tick := time.NewTicker(20 * time.Millisecond) // nothing announces that a lock is free
	defer tick.Stop()
	for started := time.Now(); ; {
		done, err := try()
		switch {
		case done || err != nil:
			return err
		case time.Since(started) > lockWait:
			return ErrHeld
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pathOf returns where git keeps a file of its own for a working tree.
func pathOf(ctx context.Context, top, name string) (string, error) {
	out, err := command(ctx, top, gitRevParse, "--git-path", name)
	if err != nil {
		return "", err
	}
	return absolute(top, strings.TrimSuffix(out, "\n")), nil
}

// pathOfIndex returns the path of the index of a working tree.
func pathOfIndex(ctx context.Context, top string) (string, error) {
	if os.Getenv("GIT_INDEX_FILE") != "" {
		return pathOf(ctx, top, "index")
	}
	dir, err := dirOf(ctx, top)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "index"), nil
}

// dirOf returns the directory where git keeps the files that a working tree does not share with others, such as its index, HEAD
// and MERGE_HEAD. It asks git only if variables choose the repository, or if there is none: git reports why.
func dirOf(ctx context.Context, top string) (string, error) {
	dirs, err := dirsAt(top)
	if err != nil {
		return "", err
	}
	if dirs != nil {
		return dirs[0], ctx.Err()
	}
	out, err := command(ctx, top, gitRevParse, "--git-dir")
	if err != nil {
		return "", err
	}
	return absolute(top, strings.TrimSuffix(out, "\n")), nil
}

// dirsAt returns the directories of gitDirs for the repository with this top; nil if variables choose another one, or if there is
// none.
func dirsAt(top string) ([]string, error) {
	dirs, at, err := gitDirs(top)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(top)
	if err != nil || real != at || os.Getenv("GIT_DIR") != "" || os.Getenv("GIT_COMMON_DIR") != "" {
		return nil, nil
	}
	return dirs, nil
}

// absolute returns the absolute form of a path that git printed in a directory. (git rev-parse has --path-format since
// 2.31.)
func absolute(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
