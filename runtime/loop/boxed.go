package loop

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/proctree"
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

// boxOfGit is the box as git uses it: see git.Box.
type boxOfGit struct {
	*box.Box // for Holds and Environ
	work     *workspace
}

// gitBox returns the box for commands of git; nil: git runs without one.
func (w *workspace) gitBox() git.Box {
	if w.whole == nil {
		return nil
	}
	return boxOfGit{w.whole, w}
}

// Wrap implements git.Box.
func (b boxOfGit) Wrap(argv, env []string, dir string, read, write []string) ([]string, error) {
	return b.work.box().Wrap(argv, env, dir, read, write)
}

// Terminate implements git.Box.
func (b boxOfGit) Terminate(pid int) error { return proctree.New(pid, "").Signal(syscall.SIGTERM) }

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
	work  *workspace
	seen  int               // number of the box's denials that were processed
	files map[string]string // digests of reviewed files; nil before the first turn. See digests
	inGit bool              // the working tree had a repository when the loop began

	unlisted map[string]bool // files to review that are not in the list, which is full
}

// maxConfined limits each of the two lists in the state.
const maxConfined = 100

// begin adds to the prompt the denials that were in the prompt of no successful turn yet.
func (c *confined) begin(ctx context.Context, e *ended) error {
	if c.work.whole == nil {
		return nil
	}
	c.takeDenials(nil) // those during checks
	if c.files != nil {
		c.takeFiles(ctx, nil)
	} else if err := c.remember(ctx, e.turn); err != nil {
		return err
	}
	if e.heard = len(c.state.Denied); e.heard > c.state.Told {
		e.prompt = fmt.Sprintf("%s\n\nThe box denied connections to %s. This is final: do not try them again, find another way.\n",
			strings.TrimRight(e.prompt, "\n"), FormatDenied(c.state.Denied[c.state.Told:]))
	}
	return nil
}

// remember notes what the reviewed files contain before a turn. If an earlier attempt was cut off, it is what they contained
// before that.
func (c *confined) remember(ctx context.Context, turn int) error {
	c.inGit = box.HasRepository(c.top())
	if c.begun() {
		known, err := c.work.savedBaseline(turn)
		if err != nil {
			return err
		}
		if known != nil && known.Review != nil {
			c.files = known.Review.read().Files
		}
	}
	if c.files == nil {
		c.files = c.digests(ctx)
	}
	return nil
}

// takeDenials records the new denials of the box. e is the turn that ended, or nil.
func (c *confined) takeDenials(e *ended) {
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
}

// takeFiles records the files to review. changed are those that git reports for a turn.
func (c *confined) takeFiles(ctx context.Context, changed []string) {
	if c.files == nil {
		return
	}
	now := c.digests(ctx)
	for name, digest := range now {
		if digest != c.files[name] {
			c.review(c.work.tree.FromProject(name))
		}
	}
	c.files = now
	for _, name := range changed {
		if name = c.work.tree.FromProject(name); matchesReview(name) {
			c.review(name)
		}
	}
	c.takeRepository()
}

// takeRepository records that the repository no longer is one, and what git may take for it instead.
func (c *confined) takeRepository() {
	if !c.inGit || box.HasRepository(c.top()) {
		return
	}
	c.review(c.work.tree.FromProject(".git/HEAD"))
	for _, name := range []string{"HEAD", "config", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(c.top(), name)); err == nil {
			c.review(c.work.tree.FromProject(name))
		}
	}
}

// end records what is to be reviewed at the end of a run.
func (c *confined) end(ctx context.Context) {
	c.takeDenials(nil)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	c.takeFiles(ctx, nil)
	c.takeRepositories(ctx)
}

// takeRepositories records the repositories in directories of the working tree, at the end of a run, and what git has to continue
// in the one of the working tree. Whether turns changed their
// settings is unknown, because these may include other files.
func (c *confined) takeRepositories(ctx context.Context) {
	if c.files == nil || c.work.tree.Repo == nil { // no turn was taken in a box, or there is no repository
		return
	}
	names, err := c.work.tree.Repo.WritableRepositories(ctx)
	if err != nil {
		c.note("the repositories in the working tree could not be listed, so review them yourself before you run git here: " + err.Error())
	}
	kept, err := c.work.tree.Repo.Kept(ctx)
	if err != nil {
		c.note("review the repository yourself before you run git here: " + err.Error())
	}
	for _, name := range kept {
		c.review(c.work.tree.FromProject(name))
	}
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

// review adds a file to review. If the list is full, a part of a repository takes the place of another file.
func (c *confined) review(name string) {
	at, found := slices.BinarySearch(c.state.Review, name)
	if found || c.unlisted[name] {
		return
	}
	c.state.Review = slices.Insert(c.state.Review, at, name)
	if len(c.state.Review) <= maxConfined {
		return
	}
	last := len(c.state.Review) - 1
	for i, other := range slices.Backward(c.state.Review) {
		if !ofRepository(other) {
			last = i
			break
		}
	}
	if c.unlisted == nil {
		c.unlisted = map[string]bool{}
	}
	c.unlisted[c.state.Review[last]] = true
	c.state.Review = slices.Delete(c.state.Review, last, last+1)
	c.state.ReviewMore++
}

// ofRepository reports whether a name to review is that of a repository, or of what git may take for one.
func ofRepository(name string) bool {
	return slices.Contains([]string{".git", "HEAD", "config", "objects", "refs"}, path.Base(name))
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

// digests returns the digests of the reviewed files that are tracked, or were before, of those that patterns name literally at
// the top of the project, and of hooks in the working tree: there are several ways to hide changes from git, and git may ignore a file. Names are relative to the
// top of the working tree. An error of git is that of the next look at the tree.
func (c *confined) digests(ctx context.Context) map[string]string {
	names, prefix := slices.Collect(maps.Keys(c.files)), ""
	if r := c.work.tree.Repo; r != nil {
		tracked, _ := r.Tracked(ctx) // see above
		names = append(names, slices.DeleteFunc(tracked, func(name string) bool { return !matchesReview(c.work.tree.FromProject(name)) })...)
		hooks, _ := r.HookFiles(ctx) // see above
		names, prefix = append(names, hooks...), r.Prefix
	}
	for _, name := range literal() {
		names = append(names, prefix+name)
	}
	slices.Sort(names)
	all := map[string]string{}
	for _, name := range slices.Compact(names) {
		data, err := projectfile.In(c.top(), path.Dir(name)).Read(path.Base(name), projectfile.MaxText)
		switch {
		case err == nil:
			all[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		case !errors.Is(err, fs.ErrNotExist):
			all[name] = err.Error()
		}
	}
	return all
}
