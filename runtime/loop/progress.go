package loop

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// changed are the files whose content is another in b than in a, committed or not,
// sorted. That something was committed is no change.
func (t *tree) changed(ctx context.Context, a, b snapshot) ([]string, error) {
	list := a.changed(b)
	if a.Head == b.Head {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(name string) bool {
		_, dirty := b.Files[name]
		return !dirty && t.still(name, a.Files[name])
	})
	between, err := t.repo.between(ctx, a.Head, b.Head)
	for _, name := range between {
		_, before := a.Files[name]
		_, after := b.Files[name]
		if !before && !after { // others are told by what they contain
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), err
}

// still says whether a file has the content that a snapshot noted of it.
func (t *tree) still(name, content string) bool {
	if strings.HasPrefix(content, commitOf) {
		return true // a submodule's commit; its files are noted by themselves
	}
	path := filepath.Join(t.repo.top, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	now := t.content(path, name, info, err, nil)
	staged, same := strings.CutPrefix(strings.TrimPrefix(content, within), now)
	return same && !strings.HasPrefix(staged, executable)
}

// between lists the paths in which two commits differ; "" is none, with no files.
func (r *repo) between(ctx context.Context, a, b string) (paths []string, err error) {
	var out string
	switch {
	case b == "":
		return nil, nil
	case a == "":
		out, err = git(ctx, r.top, gitListTree, "-r", "--full-tree", "--name-only", "-z", b)
	default:
		out, err = git(ctx, r.top, gitDiff, "--name-only", "--no-renames", "-z", a, b)
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), err
}

// work says whether one of these files is more than the loop's own: who only
// ticks boxes gets nowhere.
func (t *tree) work(changed []string) bool {
	return slices.ContainsFunc(changed, func(name string) bool { return !ofLoop(t.fromProject(name)) })
}

// fromProject is a name as seen from the project, which may lie deep in a
// repository.
func (t *tree) fromProject(name string) string {
	if t.repo == nil {
		return name
	}
	return strings.TrimPrefix(name, t.repo.prefix)
}
