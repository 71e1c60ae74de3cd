package loop

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// box returns the box for the next program; nil: programs run without one. In the box, the loop's
// own files are read-only, except those that agents write: a program there can neither change the
// record nor answer questions.
func (w *workspace) box() *box.Box {
	if w.whole == nil {
		return nil
	}
	dir := filepath.Join(w.project, layout.Dir)
	if lock, err := w.store.Files().OpenFile(layout.InboxLock, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		_ = lock.Close() // a program in the box cannot create it
	}
	write := []string{filepath.Join(dir, layout.InboxFile), filepath.Join(dir, layout.InboxLock)}
	for _, entry := range w.store.Files().Names(".") {
		name := path.Join(layout.Dir, entry)
		if !layout.IsRecord(name) && entry != layout.RCFile && entry != layout.IgnoreFile && !w.hasWorktree(entry, 3) {
			write = append(write, filepath.Join(dir, entry))
		}
	}
	return w.whole.With(write, []string{dir})
}

// hasWorktree reports whether a directory below .ralph contains a working tree, at most depth levels
// down.
func (w *workspace) hasWorktree(name string, depth int) bool {
	return strings.HasSuffix(name, "-worktree") || depth > 0 && slices.ContainsFunc(w.store.Files().Names(name), func(below string) bool {
		return w.hasWorktree(path.Join(name, below), depth-1)
	})
}

// confined keeps the connections that a box denied, and the files that the user should review.
type confined struct {
	*run
	work    *workspace
	seen    int               // number of the box's denials that were processed
	digests map[string]string // of the files at the top of the working tree that patterns name literally: git may ignore them
	hidden  map[string]string // of reviewed files whose changes git does not report, see git.Repo.Unwatched
	inGit   bool              // the working tree had a repository when the loop began
}

// maxConfined limits each of the two lists in the state.
const maxConfined = 100

// begin adds to the prompt the denials that were in the prompt of no successful turn yet.
func (c *confined) begin(ctx context.Context, e *ended) {
	if c.work.whole == nil {
		return
	}
	if c.digests == nil {
		c.digests, c.hidden = digests(c.work.tree.Dir, literal()), digests(c.top(), c.unwatched(ctx))
		c.inGit = box.HasRepository(c.top())
	}
	c.take(ctx, nil) // denials during checks
	if e.heard = len(c.state.Denied); e.heard > c.state.Told {
		e.prompt = fmt.Sprintf("%s\n\nThe box denied connections to %s. This is final: do not try them again, find another way.\n",
			strings.TrimRight(e.prompt, "\n"), FormatDenied(c.state.Denied[c.state.Told:]))
	}
}

// take records the new denials of the box, and the files to review. e is the turn that ended, or nil.
func (c *confined) take(ctx context.Context, e *ended) {
	if c.work.whole == nil || c.log == nil {
		return
	}
	list := c.work.whole.Denials()
	for _, d := range list[c.seen:] {
		c.denied(record.Denied{Host: d.Host, Port: d.Port, Reason: d.Reason})
	}
	c.seen = len(list)
	if e != nil && !e.failed() && !e.waits() {
		c.state.Told = e.heard
	}
	if c.digests == nil {
		return
	}
	now := digests(c.work.tree.Dir, literal())
	for name, digest := range now {
		if digest != c.digests[name] {
			c.review(name)
		}
	}
	c.digests = now
	if e != nil {
		now := digests(c.top(), c.unwatched(ctx))
		for name, digest := range now {
			if digest != c.hidden[name] {
				c.review(c.work.tree.FromProject(name))
			}
		}
		c.hidden = now
	}
	if c.inGit && !box.HasRepository(c.top()) {
		c.review(".git/HEAD")
		for _, name := range []string{"HEAD", "config", "objects", "refs"} { // git may take these for a repository
			if _, err := os.Lstat(filepath.Join(c.top(), name)); err == nil {
				c.review(name)
			}
		}
	}
	if e != nil {
		for _, name := range e.changed {
			if name = c.work.tree.FromProject(name); matchesReview(name) {
				c.review(name)
			}
		}
	}
}

// takeRepositories records the repositories in directories of the working tree, at the end of a run. Whether turns changed their
// settings is unknown, because these may include other files.
func (c *confined) takeRepositories(ctx context.Context) {
	if c.digests == nil || c.work.tree.Repo == nil { // no turn was taken in a box, or there is no repository
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	names, _ := c.work.tree.Repo.WritableRepositories(ctx) // if git fails, the summary says that it could not examine the tree
	for _, name := range names {
		if name += "/.git"; isWork(c.work.tree, []string{name}) {
			c.review(c.work.tree.FromProject(name))
		}
	}
}

// top returns the top of the working tree.
func (c *confined) top() string {
	if c.work.tree.Repo != nil {
		return c.work.tree.Repo.Top
	}
	return c.work.tree.Dir
}

func (c *confined) denied(d record.Denied) {
	same := func(o record.Denied) bool { return o.Host == d.Host && o.Port == d.Port }
	if len(c.state.Denied) >= maxConfined || slices.ContainsFunc(c.state.Denied, same) {
		return
	}
	c.state.Denied = append(c.state.Denied, d)
	turn := c.state.Turn
	if c.inTurn {
		turn++
	}
	v := record.Line{Turn: turn, Time: c.now(), Type: record.BoxDenied, Denied: &d, Why: fmt.Sprintf("the box denied a connection to %s: %s", d, record.OneLine(d.Reason, 200))}
	if err := c.log.Add(v); err != nil {
		c.note("a denial could not be recorded: " + err.Error())
	}
	c.tell(Notice{Kind: NoticeNote, Turn: turn, Text: v.Why, Record: &journal.Record{Line: v}})
}

func (c *confined) review(name string) {
	at, found := slices.BinarySearch(c.state.Review, name)
	if !found && len(c.state.Review) < maxConfined {
		c.state.Review = slices.Insert(c.state.Review, at, name)
	}
}

// FormatDenied lists the first ten hosts and ports, and the number of the others.
func FormatDenied(list []record.Denied) string {
	var words []string
	for _, d := range list[:min(10, len(list))] {
		words = append(words, d.String())
	}
	if more := len(list) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}

//go:embed review.txt
var reviewText []byte

// reviewed returns the patterns (of path.Match, for the last elements of a path) of files that tools
// execute automatically.
var reviewed = sync.OnceValue(func() (patterns []string) {
	for line := range bytes.Lines(reviewText) {
		if text := string(bytes.TrimSpace(line)); text != "" && !strings.HasPrefix(text, "#") {
			patterns = append(patterns, text)
		}
	}
	return patterns
})

// matchesReview reports whether tools execute a file automatically; its name has slashes.
func matchesReview(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(reviewed(), func(pattern string) bool {
		n := strings.Count(pattern, "/") + 1
		if n > len(parts) {
			return false
		}
		ok, _ := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/")) // a test checks the patterns
		return ok
	})
}

// literal returns the patterns that are names.
func literal() []string {
	return slices.DeleteFunc(slices.Clone(reviewed()), func(name string) bool { return strings.ContainsAny(name, "*?[") })
}

// unwatched returns the files that tools execute automatically and whose changes git does not report. An error is
// that of the next look at the tree.
func (c *confined) unwatched(ctx context.Context) []string {
	if c.work.tree.Repo == nil {
		return nil
	}
	names, _ := c.work.tree.Repo.Unwatched(ctx)
	return slices.DeleteFunc(names, func(name string) bool { return !matchesReview(c.work.tree.FromProject(name)) })
}

// digests returns the digests of those of some files that exist.
func digests(dir string, names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		data, err := projectfile.In(dir, path.Dir(name)).Read(path.Base(name), projectfile.MaxText)
		switch {
		case err == nil:
			all[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		case !errors.Is(err, fs.ErrNotExist):
			all[name] = err.Error()
		}
	}
	return all
}
