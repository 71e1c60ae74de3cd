package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Changed are the files whose content is another in b than in a, committed or not,
// sorted. A commit alone is not a change. If git has removed the commit of a meanwhile, the files
// that this commit changed may be among them.
func (t *Tree) Changed(ctx context.Context, a, b Snapshot) ([]string, error) {
	list := slices.DeleteFunc(a.Changed(b), func(name string) bool { return t.sameOtherwise(name, a.Files[name], b.Files[name]) })
	if a.Head == b.Head {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(name string) bool {
		_, dirty := b.Files[name]
		return !dirty && t.still(name, a.Files[name])
	})
	between, err := t.Repo.between(ctx, a.Head, b.Head)
	if Ended(err) && a.Head != "" {
		if there, _ := t.Repo.Exists(ctx, a.Head); !there {
			between, err = t.Repo.betweenRemoved(ctx, a, b.Head)
		}
	}
	for _, name := range between {
		_, before := a.Files[name]
		_, after := b.Files[name]
		if !before && !after { // others differ in their content
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), err
}

// still reports whether a file has the content that a snapshot recorded.
func (t *Tree) still(name, content string) bool {
	if strings.HasPrefix(content, commitOf) {
		return true // a submodule's commit; its files are noted by themselves
	}
	path := t.path(name)
	info, err := os.Lstat(path)
	if noted := strings.TrimPrefix(content, within); err == nil && strings.HasPrefix(noted, large) {
		return attributes(info).String() == noted
	}
	now := t.content(path, name, info, err, nil, false)
	staged, same := strings.CutPrefix(strings.TrimPrefix(content, within), now)
	return same && !strings.HasPrefix(staged, executable)
}

func (t *Tree) path(name string) string {
	if t.Repo == nil {
		return filepath.Join(t.Dir, filepath.FromSlash(name))
	}
	return filepath.Join(t.Repo.Top, filepath.FromSlash(name))
}

// sameOtherwise reports whether a file that was read in one snapshot only, see Bound, has the content that the earlier one noted.
func (t *Tree) sameOtherwise(name, before, after string) bool {
	before, after = strings.TrimPrefix(before, within), strings.TrimPrefix(after, within)
	if before == "" || after == "" || strings.HasPrefix(before, large) == strings.HasPrefix(after, large) {
		return false
	}
	path := t.path(name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if strings.HasPrefix(before, large) {
		return attributes(info).String() == before
	}
	hash, err := t.hash(name)
	if info.Mode()&0o111 != 0 {
		hash += executable
	}
	return err == nil && hash == before
}

// between lists the paths in which two commits differ; "" is none, with no files.
func (r *Repo) between(ctx context.Context, a, b string) (paths []string, err error) {
	var out string
	switch {
	case b == "":
		return nil, nil
	case a == "":
		out, err = r.run(ctx, call{}, gitListTree, "-r", "--full-tree", "--name-only", "-z", revision(b))
	default:
		out, err = r.run(ctx, call{}, gitDiff, "--name-only", "--no-renames", "-z", revision(a), revision(b))
	}
	return fileNames(out), err
}

// betweenRemoved is between for a snapshot whose commit no longer exists: nothing differs from a commit
// with the same tree, and otherwise its parent stands for it, or, if that was removed too, an empty tree.
func (r *Repo) betweenRemoved(ctx context.Context, a Snapshot, b string) ([]string, error) {
	if b == "" {
		return nil, nil
	}
	tree, err := command(ctx, r.Top, gitRevParse, "--verify", revision(b)+"^{tree}")
	if err != nil || a.HeadTree != "" && strings.TrimSpace(tree) == a.HeadTree {
		return nil, err
	}
	parent := a.HeadParent
	if there, err := r.Exists(ctx, parent); err != nil {
		return nil, err
	} else if !there {
		parent = ""
	}
	return r.between(ctx, parent, b)
}

// FromProject returns a name as seen from the project, which may lie deep in a repository; that of a file elsewhere in the
// repository begins with "../".
func (t *Tree) FromProject(name string) string {
	if t.Repo == nil || t.Repo.Prefix == "" {
		return name
	}
	prefix, up := t.Repo.Prefix, ""
	for !strings.HasPrefix(name, prefix) {
		prefix, up = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1], up+"../"
	}
	return up + name[len(prefix):]
}
