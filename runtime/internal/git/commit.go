package git

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Change is what a commit does to a tree: paths relative to the top of it.
type Change struct {
	There []string // as they are in the working tree now
	Gone  []string // no longer in it

	NoHooks bool // the commit runs no hooks, which may be files of the working tree
}

// Empty reports whether the change contains no path.
func (c Change) Empty() bool { return len(c.There)+len(c.Gone) == 0 }

// Names are all paths.
func (c Change) Names() []string { return slices.Concat(c.There, c.Gone) }

// String is a change as ReadChange reads it: each path after + or -, and ended by
// NUL.
func (c Change) String() string {
	var b strings.Builder
	for _, path := range c.There {
		b.WriteString("+" + path + "\x00")
	}
	for _, path := range c.Gone {
		b.WriteString("-" + path + "\x00")
	}
	return b.String()
}

// ReadChange reads what String has written.
func ReadChange(text string) (c Change) {
	for path := range strings.SplitSeq(text, "\x00") {
		if name, there := strings.CutPrefix(path, "+"); there {
			c.There = append(c.There, name)
		} else if name, gone := strings.CutPrefix(path, "-"); gone {
			c.Gone = append(c.Gone, name)
		}
	}
	return c
}

// Commit makes one commit of HEAD and a change; whatever else is staged or changed
// stays as it is. It returns the new HEAD, or head when the change is none.
//
// The commit is made from a temporary index: git has no way to name a path that is
// in the index alone, or that is now below a symbolic link.
//
// began gets the process that will write to the branch, before it does: git waits
// for the message, and without one it makes no commit. limit is the time for it, hooks
// included; after that the error is a *TimeoutError.
func (r *Repo) Commit(ctx context.Context, ch Change, head, message string, limit time.Duration, began func(pid int) error) (string, error) {
	if err := r.underWay(ctx); err != nil {
		return "", err
	}
	examined, err := r.examine(ctx, nil, true)
	if err != nil {
		return "", err
	}
	i, err := r.findIndex(ctx)
	if err != nil {
		return "", err
	}
	copied, err := i.copy()
	if err != nil {
		return "", err
	}
	c := call{env: indexIs(i.tree), input: message, began: began, limit: limit, noHooks: ch.NoHooks}
	if !r.commitRuns(examined, ch.NoHooks) {
		c.examined = examined
	}
	made, err := r.commitFrom(ctx, i, ch, head, examined, c)
	if err != nil {
		return "", errors.Join(err, i.sweep())
	}
	if done, err := i.replace(copied); err != nil {
		return "", err
	} else if !done { // somebody staged something meanwhile
		if err := r.Stage(ctx, ch); err != nil {
			return "", err
		}
	}
	if err := i.sweep(); err != nil || !made {
		return head, err
	}
	return r.Head(ctx)
}

// commitFrom makes both indexes and the commit of one. False: there is nothing in
// which it would differ from HEAD. c is the call for the commit, with examined settings if that runs no hooks and no filters.
func (r *Repo) commitFrom(ctx context.Context, i index, ch Change, head string, examined []setting, c call) (made bool, err error) {
	base := []string{"--empty"} // there is no commit yet
	if head != "" {
		base = []string{"-m", "-i", "HEAD"} // files that HEAD and the index have are not read again
	}
	if _, err := r.run(ctx, call{env: c.env, examined: examined}, gitReadTree, base...); err != nil {
		return false, err
	}
	for _, index := range []string{i.own, i.tree} {
		if err := r.apply(ctx, index, ch, examined); err != nil {
			return false, err
		}
	}
	differs, err := r.run(ctx, call{env: c.env, examined: examined}, gitDiff, "--cached", "--name-only", "--no-renames", "-z")
	if err != nil || differs == "" {
		return false, err
	}
	if _, err = r.run(ctx, c, gitCommit, "--quiet", "--file", "-"); err != nil {
		return false, err
	}
	if c.examined != nil { // no hook made anything else of the change
		return true, nil
	}
	return true, r.follow(ctx, i, ch)
}

// follow puts what a hook made of the change into the index, too, where that is what
// the working tree has: else it would be the other way about, staged to be undone.
func (r *Repo) follow(ctx context.Context, i index, ch Change) error {
	out, err := r.run(ctx, call{env: indexIs(i.own)}, gitDiff, "--cached", "--name-only", "--no-renames", "-z")
	if err != nil || out == "" {
		return err
	}
	differs := strings.Split(out, "\x00")
	changed := Change{There: slices.DeleteFunc(slices.Clone(ch.There), func(name string) bool { return !slices.Contains(differs, name) })}
	return r.apply(ctx, i.own, changed, nil)
}

// apply puts a change into an index of the loop's own. What is gone goes first: a
// directory may have taken a file's place, and the other way about. For examined see [call].
func (r *Repo) apply(ctx context.Context, index string, ch Change, examined []setting) error {
	for _, part := range []struct {
		paths []string
		how   []string
	}{
		{ch.Gone, []string{"--force-remove"}},
		{ch.There, []string{"--add", "--replace"}},
	} {
		if len(part.paths) == 0 {
			continue
		}
		c := call{env: indexIs(index), examined: examined, input: strings.Join(part.paths, "\x00") + "\x00"}
		if _, err := r.run(ctx, c, gitIndex, append(part.how, "-z", "--stdin")...); err != nil {
			return err
		}
	}
	return nil
}

// indexIs has git use an index.
func indexIs(path string) []string { return []string{"GIT_INDEX_FILE=" + path} }
