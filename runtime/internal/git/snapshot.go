package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/projectfile"
)

// Snapshot is the state of a working tree: the commit, and the content of every file that
// differs from it. Without git it is the content of every file. Names are relative to the
// top of the tree, with slashes.
type Snapshot struct {
	Head   string            `json:"head"`
	Branch string            `json:"branch,omitempty"` // the one checked out; "" if HEAD is detached
	Files  map[string]string `json:"files"`

	// The tree and the first parent of Head, which stand for it once git has removed it; "" for unknown
	// and for no parent: see Identify.
	HeadTree   string `json:"head_tree,omitempty"`
	HeadParent string `json:"head_parent,omitempty"`

	BranchUnknown bool `json:"-"` // Branch is "" since nobody recorded it
}

// Valid reports whether the commits and names may be those of a snapshot, if it was read from a file.
func (s Snapshot) Valid() bool {
	for _, commit := range []string{s.Head, s.HeadTree, s.HeadParent} {
		if commit != "" && !isCommit(commit) {
			return false
		}
	}
	for name := range s.Files {
		if !IsName(name) {
			return false
		}
	}
	return true
}

// Equal reports whether the commit and the files are the same; the branch may differ.
func (s Snapshot) Equal(o Snapshot) bool { return s.Head == o.Head && maps.Equal(s.Files, o.Files) }

// Digest returns a hash of the commit and the files.
func (s Snapshot) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", s.Head)
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		fmt.Fprintf(h, "%q %q\n", name, s.Files[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Changed lists the files that are noted in s or o and whose contents differ, sorted. Files
// that differ only because the commits do are not listed.
func (s Snapshot) Changed(o Snapshot) []string {
	var list []string
	for name, content := range o.Files {
		if before, was := s.Files[name]; !was || before != content {
			list = append(list, name)
		}
	}
	for name := range s.Files {
		if _, is := o.Files[name]; !is {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Inner reports whether a file belongs to a repository inside this one.
func (s Snapshot) Inner(name string) bool { return strings.HasPrefix(s.Files[name], within) }

// Gone reports whether a file was removed from the tree or from the index.
func (s Snapshot) Gone(name string) bool { return strings.HasPrefix(s.Files[name], absent) }

// Tree takes snapshots of a directory.
type Tree struct {
	Dir   string
	Repo  *Repo // nil: no git
	own   func(name string) bool
	cache map[string]cached

	bound bounds
	left  int64 // of bound.total, in the current snapshot

	identified Snapshot // the last one, see Identify
}

// bounds are how many bytes of untracked files a snapshot reads.
type bounds struct{ file, total int64 }

// perFile is what a file counts as in addition to its size: to open it takes time, too.
const perFile = 8 << 10

// Bound limits how much a snapshot reads of files that are not tracked: those above a size, and all beyond a total, have their
// attributes for their content, so that a change is one of the size, the time or the inode. Of tracked files git itself says first
// whether they differ.
func (t *Tree) Bound(file, total int64) { t.bound = bounds{file, total} }

// reads reports whether a file is read, and counts it.
func (t *Tree) reads(size int64, untracked bool) bool {
	switch {
	case size > maxHashed:
		return false
	case !untracked || t.bound == bounds{}:
		return true
	case size > t.bound.file || size+perFile > t.left:
		return false
	}
	t.left -= size + perFile
	return true
}

// cached is the hash of a file that had these attributes.
type cached struct {
	inode uint64
	mtime int64 // ns
	size  int64
	mode  fs.FileMode
	hash  string
}

// settled is the age of a change from which on a further change has another time stamp:
// a file may be written twice within a tick of the file system's clock.
const settled = 20 * time.Millisecond

// OpenTree returns the tree of dir; it uses git if dir is in a repository. Files for which own
// returns true are left out. own gets names relative to dir, with slashes; that of a directory
// ends with one.
func OpenTree(ctx context.Context, dir string, own func(name string) bool) (*Tree, error) {
	r, err := Open(ctx, dir)
	if errors.Is(err, ErrNoRepository) {
		err = nil
	}
	return r.Tree(dir, own), err
}

// Tree is like OpenTree for a directory whose repository is known, or nil for none.
func (r *Repo) Tree(dir string, own func(name string) bool) *Tree {
	return &Tree{Dir: dir, Repo: r, own: own, cache: map[string]cached{}}
}

// Snapshot returns the state of the whole tree.
func (t *Tree) Snapshot(ctx context.Context) (Snapshot, error) {
	s := Snapshot{Files: map[string]string{}}
	old := t.cache
	t.left = t.bound.total
	t.cache = make(map[string]cached, len(old))
	var err error
	if t.Repo == nil {
		err = t.walk(ctx, t.Dir, "", old, s.Files)
	} else {
		err = t.status(ctx, old, &s)
	}
	if err != nil {
		t.cache = old
		return Snapshot{}, fmt.Errorf("looking for changes in %s: %w", t.Dir, err)
	}
	return s, nil
}

// Identify notes in a snapshot what stands for its commit if an agent replaces it and git removes it
// at once, as by "git commit --amend" and "git gc --prune=now".
func (t *Tree) Identify(ctx context.Context, s *Snapshot) error {
	if t.Repo == nil || !isCommit(s.Head) || s.HeadTree != "" {
		return nil
	}
	if s.Head == t.identified.Head { // a commit never changes
		s.HeadTree, s.HeadParent = t.identified.HeadTree, t.identified.HeadParent
		return nil
	}
	out, err := command(ctx, t.Repo.Top, gitRevParse, s.Head+"^{tree}", s.Head+"^@")
	if Ended(err) { // it stays unknown
		return nil
	}
	names := append(strings.Fields(out), "", "")
	s.HeadTree, s.HeadParent = names[0], names[1]
	if err == nil {
		t.identified = *s
	}
	return err
}

// isOwn reports whether a name is left out.
func (t *Tree) isOwn(name string) bool {
	if t.Repo != nil {
		var inside bool
		if name, inside = strings.CutPrefix(name, t.Repo.Prefix); !inside {
			return false
		}
	}
	return t.own(name)
}

// within marks the files of a repository inside this one: a change of them is progress, and
// cannot be committed here.
const within = "within "

// Contents other than a hash.
const (
	absent     = "absent"  // the file is gone
	commitOf   = "commit " // a submodule: the tree of its commit
	executable = "x"       // after a hash
)

// add notes one file. A directory is a repository of its own: all of its files are noted,
// and, if it is a submodule, its commit.
func (t *Tree) add(ctx context.Context, e entry, old map[string]cached, files map[string]string) error {
	path := filepath.Join(t.Repo.Top, filepath.FromSlash(e.name))
	info, err := os.Lstat(path)
	switch {
	case e.gone, throughLink(t.Repo.Top, e.name): // what lies there, if anything, is not what the index had
		files[e.name] = absent + e.staged
		return nil
	case err != nil || !info.IsDir() || !e.inner:
		files[e.name] = t.content(path, e.name, info, err, old, e.untracked) + e.staged
		return nil
	}
	if e.moved {
		before, now, err := trees(ctx, path, e.recorded)
		if err != nil || before == now && !e.dirty {
			return err
		}
		files[e.name] = commitOf + now + e.staged
	}
	inner := map[string]string{}
	if err := t.walk(ctx, path, strings.TrimSuffix(e.name, "/")+"/", old, inner); err != nil {
		return err
	}
	for name, content := range inner {
		files[name] = within + content
	}
	return nil
}

// trees returns the tree objects of a commit, "" if it does not exist, and of HEAD. A submodule
// whose commit changes is unchanged if the two are the same.
func trees(ctx context.Context, top, commit string) (of, head string, err error) {
	of, err = command(ctx, top, gitRevParse, "--verify", "--quiet", revision(commit)+"^{tree}")
	of = strings.TrimSpace(of)
	if _, none := errors.AsType[*Error](err); err != nil && !none {
		return "", "", err
	}
	head, err = command(ctx, top, gitRevParse, "--verify", "HEAD^{tree}")
	return of, strings.TrimSpace(head), err
}

// walk notes every file below a directory.
func (t *Tree) walk(ctx context.Context, dir, prefix string, old map[string]cached, files map[string]string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, relErr := filepath.Rel(dir, path)
		if relErr != nil {
			return relErr
		}
		name := prefix + filepath.ToSlash(rel)
		switch {
		case err != nil && (path == dir || !gone(err) && !errors.Is(err, fs.ErrPermission)):
			return err
		case err != nil: // removed meanwhile, or not for us to see
			return nil
		case d.IsDir() && path != dir && (d.Name() == ".git" || t.isOwn(name+"/")):
			return filepath.SkipDir
		case d.IsDir() || t.isOwn(name) || d.Name() == ".git":
			return nil
		}
		info, err := d.Info()
		files[name] = t.content(path, name, info, err, old, true)
		return nil
	})
}

// maxHashed is the size, in bytes, above which a file's attributes stand for its content: a sparse
// file of terabytes takes no space in an archive, and hours to read.
const maxHashed = 256 << 20

// content returns a hash and the kind of a file, which identify its state.
func (t *Tree) content(path, name string, info fs.FileInfo, err error, old map[string]cached, untracked bool) string {
	switch {
	case gone(err):
		return absent
	case err != nil:
		return "unreadable"
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(path)        // "" if it was removed meanwhile: the next snapshot notes it
		return fmt.Sprintf("link %q", target) // it is written as JSON, which has no bytes
	case !info.Mode().IsRegular():
		return "special" // reading it could block forever
	}
	now := attributes(info)
	was := old[name]
	if now.hash = was.hash; was == now && was.hash != "" {
		t.cache[name] = was
		return was.hash
	}
	if !t.reads(now.size, untracked) {
		now.hash = now.String()
		t.cache[name] = now
		return now.hash
	}
	started := time.Now()
	hash, err := t.hash(name)
	if err != nil {
		return fmt.Sprintf("unreadable %d %d", now.size, now.mtime)
	}
	if info.Mode()&0o111 != 0 {
		hash += executable
	}
	if now.hash = hash; started.Sub(info.ModTime()) > settled {
		t.cache[name] = now
	}
	return hash
}

// large marks a content of attributes.
const large = "large "

func attributes(info fs.FileInfo) cached {
	return cached{inode(info), info.ModTime().UnixNano(), info.Size(), info.Mode(), ""}
}

// String is what stands for a content that is not read.
func (c cached) String() string {
	return fmt.Sprintf(large+"%d %d %d %v", c.inode, c.size, c.mtime, c.mode)
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// hash returns the hash of a file. It follows no symbolic link.
func (t *Tree) hash(name string) (string, error) {
	top := t.Dir
	if t.Repo != nil {
		top = t.Repo.Top
	}
	f, err := projectfile.In(top, ".").Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
