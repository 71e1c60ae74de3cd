package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/record"
)

// checkouts follows which branch or commit the agent leaves checked out in each tree that it may
// change. Without git it does nothing.
type checkouts struct {
	*run
	work    *workspace
	agent   *followed // nil without git
	project *followed // the user's own checkout; nil if the agent works there
}

// Maximum number of bytes that are read of untracked files in the user's own checkout: of each file, and of all.
const (
	usersFile  = 1 << 20
	usersTotal = 64 << 20
)

// followed is a tree with the log of its HEAD.
type followed struct {
	tree *git.Tree
	log  *git.HeadLog
}

func follow(ctx context.Context, tree *git.Tree) (*followed, error) {
	log, err := tree.Repo.HeadLog(ctx)
	return &followed{tree, log}, err
}

// open begins to follow the trees. project is the repository of the user's own checkout.
func (c *checkouts) open(ctx context.Context, project *git.Repo) (err error) {
	if c.work.tree.Repo == nil {
		return nil
	}
	if c.agent, err = follow(ctx, c.work.tree); err != nil {
		return err
	}
	s := &c.state.Checkouts
	if c.state.Turn == 0 && s.Stashes == nil {
		all, err := c.repo().Stashes(ctx)
		if err != nil {
			return err
		}
		s.Stashes = append([]string{}, all[:min(len(all), maxChanged)]...)
	}
	if c.work.worktree != nil {
		s.Left, s.Earlier = lastOf(slices.Concat(s.Earlier, s.Left)), nil
		tree := project.Tree(c.work.project, layout.IsRecord)
		tree.Bound(usersFile, usersTotal)
		if c.project, err = follow(ctx, tree); err != nil {
			return err
		}
	}
	return c.rewind()
}

// mark adds the current ends of git's logs of HEAD to the trees before a turn.
func (c *checkouts) mark(b *baseline) {
	if c.agent != nil {
		b.Log = new(c.agent.log.Position())
	}
	if c.project != nil && b.Project != nil {
		b.Project.Log = new(c.project.log.Position())
	}
}

// rewind sets the logs of HEAD back to where an interrupted attempt of an earlier process began. Only
// they have commits that the attempt made on no branch before it checked out a branch again.
func (c *checkouts) rewind() error {
	if !c.begun() {
		return nil
	}
	known, err := c.work.savedBaseline(c.state.Turn + 1)
	if err != nil || known == nil {
		return err
	}
	if known.Log != nil {
		c.agent.log.Rewind(*known.Log)
	}
	if c.project != nil && known.Project != nil && known.Project.Log != nil {
		c.project.log.Rewind(*known.Project.Log)
	}
	return nil
}

// repo returns the repository to ask about branches: the agent may have removed its own working tree.
func (c *checkouts) repo() *git.Repo {
	if c.project != nil {
		return c.project.tree.Repo
	}
	return c.agent.tree.Repo
}

// users returns the user's own checkout; other is false if that is the agent's tree, or cannot be read:
// the user may be at work there.
func (c *checkouts) users(ctx context.Context) (s git.Snapshot, other bool, err error) {
	if c.project == nil {
		return s, false, nil
	}
	if s, err = c.project.tree.Snapshot(ctx); err != nil {
		c.unread(err)
		return s, false, ctx.Err()
	}
	return s, true, c.project.tree.Identify(ctx, &s)
}

func (c *checkouts) unread(err error) {
	c.noteOnce("checkout unread", "", fmt.Sprintf("your own checkout cannot be read, so changes of it are not reported: %v", err))
}

func checkoutOf(s git.Snapshot) record.Checkout {
	return record.Checkout{Branch: s.Branch, Commit: s.Head}
}

// turnOver records how a turn changed the branches of the trees, and which commits are on no branch
// since then.
func (c *checkouts) turnOver(ctx context.Context, e *ended) error {
	if c.agent == nil {
		return nil
	}
	before := checkoutOf(e.before)
	left, err := c.left(ctx, c.agent, before, e.after)
	if after := checkoutOf(e.after); e.after.Files != nil && after.Branch != before.Branch && !e.before.BranchUnknown {
		e.checkout = &after
		c.note(fmt.Sprintf("turn %d left %s: %s is checked out now, and commits go there", e.turn, before, after))
	}
	s := &c.state.Checkouts
	s.Branches, s.Last = lastOf(append(s.Branches, append(left.names, before.Branch, e.after.Branch)...)), nil
	if e.after.Files != nil {
		s.Last = &e.after.Branch
	}
	also, perr := c.projectAfter(ctx, e)
	merr := c.noteMade(ctx, e, left, also)
	return errors.Join(err, merr, perr, c.leave(ctx, e.turn, left, also))
}

// leave reports the commits that a turn left, or an earlier one, and that are on no branch: a branch that had one may
// have been deleted or reset since. It remembers the other ones. users is what the user's own checkout left.
func (c *checkouts) leave(ctx context.Context, turn int, agents, users left) error {
	s, heads := &c.state.Checkouts, slices.Concat(agents.by, users.by)
	lost, err := c.lost(ctx, heads...)
	all := slices.Concat(s.Left, agents.commits, users.commits)
	s.Left = lastOf(slices.Clone(all)) // if git fails, they are asked about after the next turn
	err = errors.Join(err, c.keep(ctx, agents.commits, func(commit string) string {
		return fmt.Sprintf("turn %d left commit %s, which is on no branch now", turn, short(commit))
	}, heads...), c.keep(ctx, users.commits, func(commit string) string {
		return fmt.Sprintf("your own checkout left commit %s during turn %d, and it is on no branch now", short(commit), turn)
	}, heads...), c.keep(ctx, lost, func(commit string) string {
		return fmt.Sprintf("commit %s, which an earlier turn left, is on no branch after turn %d", short(commit), turn)
	}, heads...))
	unkept, uerr := c.repo().Unkept(ctx, all)
	outside, oerr := c.repo().Outside(ctx, all, heads...) // a turn that leaves one of heads leaves the others with it
	if err = errors.Join(err, uerr, oerr); err == nil {
		s.Left = lastOf(slices.DeleteFunc(outside, func(commit string) bool { return slices.Contains(unkept, commit) }))
	}
	return err
}

// leftBefore returns what a new run has to know of the commits that turns of earlier runs left: git removes the log that
// has them with a working tree. A run without one loses none, and passes them on.
func leftBefore(last record.Checkouts, worktree bool) record.Checkouts {
	if worktree {
		return record.Checkouts{Unkept: last.Unkept, Left: last.Left, Earlier: last.Earlier}
	}
	return record.Checkouts{Earlier: lastOf(slices.Concat(last.Earlier, last.Left, last.Unkept))}
}

// lost returns the commits that turns left on a branch and that are on none now. Commits that have others in their place
// in one of heads, as after a rebase, are not lost.
func (c *checkouts) lost(ctx context.Context, heads ...string) (lost []string, err error) {
	unkept, err := c.repo().Unkept(ctx, c.state.Checkouts.Left, heads...)
	for _, commit := range unkept {
		replaced, rerr := c.replaced(ctx, commit, heads)
		if err = errors.Join(err, rerr); !replaced {
			lost = append(lost, commit)
		}
	}
	return lost, err
}

// noteMade remembers the commits that a turn made in a working tree of its own. Commits that the
// user's checkout had before the turn are the user's, although the turn may have merged them. So are
// commits that it had during the turn, unless git's log of the working tree says that they were made there.
func (c *checkouts) noteMade(ctx context.Context, e *ended, agents, users left) error {
	if e.project == nil || e.after.Head == "" || e.after.Head == e.before.Head {
		return nil
	}
	known := slices.DeleteFunc([]string{e.before.Head, e.project.Head}, func(head string) bool { return head == "" })
	made, err := c.repo().Commits(ctx, maxMade, e.after.Head, known...)
	if err == nil && len(users.reached) > 0 {
		var only []string
		only, err = c.repo().Commits(ctx, maxMade, e.after.Head, slices.Concat(known, users.reached)...)
		made = slices.DeleteFunc(made, func(commit string) bool {
			return !slices.Contains(only, commit) && !slices.Contains(agents.made, commit)
		})
	}
	c.remember(made)
	return err
}

// maxMade is how many commits of a turn, or of a rebase, are listed.
const maxMade = 10_000

// remember adds commits, newest first, to those that turns made. The first one is kept beside the last
// ones: if later ones were dropped, a branch may still contain it.
func (c *checkouts) remember(made []string) {
	slices.Reverse(made)
	all := append(c.state.Checkouts.Made, made...)
	if len(all) == 0 {
		return
	}
	first := all[0]
	last := lastOf(all) // which changes all
	if !slices.Contains(last, first) {
		last[0] = first
	}
	c.state.Checkouts.Made = last
}

// rebased remembers the commits that replace those that turns made, after the branch of the working tree was rebased
// on main. git drops commits whose changes main has in commits of its own. If it dropped all, main's commit replaces
// them. If main has reverted the changes since, the dropped commits are on no branch.
func (c *checkouts) rebased(ctx context.Context, before, after, main string) error {
	old, err := c.repo().Commits(ctx, maxMade, before, main)
	if err != nil || !slices.ContainsFunc(old, func(commit string) bool { return slices.Contains(c.state.Checkouts.Made, commit) }) {
		return err
	}
	now, err := c.repo().Commits(ctx, maxMade, after, main)
	if err != nil {
		return err
	}
	c.state.Checkouts.Made = slices.DeleteFunc(c.state.Checkouts.Made, func(commit string) bool { return slices.Contains(old, commit) })
	if len(now) < len(old) {
		there, err := c.repo().HasContents(ctx, before, main, after)
		if err != nil || !there {
			err = errors.Join(err, c.keep(ctx, []string{before}, func(commit string) string {
				return fmt.Sprintf("rebasing on %s left out commits of the branch: commit %s, which is on no branch now, has them", main, short(commit))
			}))
		}
		if err != nil {
			return err
		}
		if len(now) == 0 && there {
			now = []string{after}
		}
	}
	c.remember(now)
	return nil
}

// merged reports whether a branch contains a commit that a turn made, or a later version of one, because the user may have
// rewritten it between turns, or copies of all of them. A turn may have dropped later commits since.
func (c *checkouts) merged(ctx context.Context, branch string) (bool, error) {
	made := c.state.Checkouts.Made
	if merged, err := c.repo().ContainsAny(ctx, branch, made...); merged || err != nil || len(made) == 0 {
		return merged, err
	}
	if merged, err := c.repo().ContainsRewritten(ctx, branch, c.state.Start, made...); merged || err != nil {
		return merged, err
	}
	copied, others, err := c.repo().Copied(ctx, made[len(made)-1], branch)
	return copied > 0 && others == 0, err
}

// lastOf returns the last distinct names.
func lastOf(names []string) []string {
	slices.Reverse(names)
	var list []string
	for _, name := range names {
		if name != "" && !slices.Contains(list, name) && len(list) < maxChanged {
			list = append(list, name)
		}
	}
	slices.Reverse(list)
	return list
}

// left lists what a turn had checked out in a tree and no longer has.
type left struct {
	commits []string
	names   []string // branches and commits
	reached []string // the last commits that were checked out
	made    []string // commits that were made in the tree
	by      []string // the commit that is checked out now, if any
}

// left returns the commits and names that a turn no longer has checked out in a tree: it checked out others, or the branch lost
// them, as by git reset or git rebase. Commits that have others in their place, as after git commit --amend, are not left.
func (c *checkouts) left(ctx context.Context, in *followed, before record.Checkout, after git.Snapshot) (l left, err error) {
	moves := in.log.Moves()
	if in == c.agent {
		c.state.Checkouts.Unlogged = c.state.Checkouts.Unlogged || !in.log.Complete()
		c.state.Checkouts.Logged = lastOf(append(c.state.Checkouts.Logged, moves.Made...))
	}
	l.commits, l.names, l.reached, l.made = moves.Left, moves.Names, lastOf(slices.Clone(moves.Reached)), moves.Made
	switch {
	case before.Commit == "":
	case before.Branch != "" && before.Branch == after.Branch:
		moves.Reached = append(moves.Reached, before.Commit)
	default:
		l.commits = append(l.commits, before.Commit)
	}
	if after.Head != "" {
		l.by = []string{after.Head}
	}
	dropped, err := c.dropped(ctx, moves.Reached, l.commits, l.by...)
	unkept, uerr := c.repo().Unkept(ctx, l.commits, l.by...)
	err = errors.Join(err, uerr)
	for _, commit := range unkept { // it may have been rebased or copied since
		replaced, rerr := c.replaced(ctx, commit, l.by)
		if err = errors.Join(err, rerr); replaced {
			l.commits = slices.DeleteFunc(l.commits, func(of string) bool { return of == commit })
		}
	}
	l.commits = append(l.commits, dropped...)
	return l, err
}

// dropped returns the last of the commits that a tree had checked out and that none of heads contains, nor has others in their
// place, nor the contents of all files that they changed. Those in left are left out.
func (c *checkouts) dropped(ctx context.Context, reached, left []string, heads ...string) (list []string, err error) {
	tips, err := c.repo().Tips(ctx, slices.Concat(reached, left), heads...)
	tips = slices.DeleteFunc(tips, func(commit string) bool { return slices.Contains(left, commit) })
	for _, commit := range lastOf(tips) {
		replaced, rerr := c.replaced(ctx, commit, slices.Concat(heads, left))
		for _, head := range heads { // after a squash, one commit has the contents of several
			there, herr := c.repo().HasContents(ctx, commit, head, head)
			if !git.Ended(herr) { // without a commit in common, git ends with an error
				rerr = errors.Join(rerr, herr)
			}
			replaced = replaced || there && herr == nil
		}
		if err = errors.Join(err, rerr); !replaced {
			list = append(list, commit)
		}
	}
	return list, err
}

// replaced reports whether one of heads contains, instead of each commit that it lacks of another one, a copy or a later version.
func (c *checkouts) replaced(ctx context.Context, commit string, heads []string) (replaced bool, err error) {
	for _, head := range heads {
		dropped, derr := c.repo().Dropped(ctx, commit, head)
		if err = errors.Join(err, derr); !dropped && derr == nil {
			return true, err
		}
	}
	return false, err
}

// projectAfter notes how a turn changed the user's own checkout.
func (c *checkouts) projectAfter(ctx context.Context, e *ended) (l left, err error) {
	if c.project == nil || e.project == nil {
		return l, nil
	}
	now, err := c.project.tree.Snapshot(ctx)
	if err != nil {
		c.unread(err)
		return l, ctx.Err()
	}
	before, after := checkoutOf(*e.project), checkoutOf(now)
	l, lerr := c.left(ctx, c.project, before, now)
	files, err := c.project.tree.Changed(ctx, *e.project, now)
	files = slices.DeleteFunc(files, func(name string) bool { return !isWork(c.project.tree, []string{name}) })
	moved := before.Branch != after.Branch || before.Branch == "" && before.Commit != after.Commit
	if e.project.BranchUnknown { // what is checked out now stands for it, since only its commits can be compared
		moved, before = false, after
	}
	if err != nil || !moved && len(files) == 0 {
		return l, errors.Join(lerr, err)
	}
	e.users = &record.Project{Files: files[:min(len(files), maxChanged)]}
	if moved {
		e.users.Moved = &record.Moved{From: before, To: after}
	}
	s := &c.state.Checkouts
	known := func(name string) bool { return slices.Contains(s.Files, name) }
	if news := slices.DeleteFunc(slices.Clone(files), known); moved || len(news) > 0 { // the user may be at work there
		c.note(fmt.Sprintf("your own checkout changed during turn %d: %s", e.turn, &record.Project{Moved: e.users.Moved, Files: news}))
	}
	if s.Project == nil {
		s.Project = &before
	}
	s.Files = lastOf(append(s.Files, files...))
	return l, lerr
}

// keep remembers and reports the commits that are neither on a branch nor contained in those of by.
func (c *checkouts) keep(ctx context.Context, left []string, note func(commit string) string, by ...string) error {
	unkept, err := c.repo().Unkept(ctx, left, by...)
	for _, commit := range unkept {
		if !slices.Contains(c.state.Checkouts.Unkept, commit) {
			c.state.Checkouts.Unkept = lastOf(append(c.state.Checkouts.Unkept, commit))
			c.note(note(commit))
		}
	}
	return err
}

// summarize adds to a summary where the agent's commits are, and what became of the user's own
// checkout. now is the agent's tree.
func (c *checkouts) summarize(ctx context.Context, sum *Summary, now git.Snapshot) error {
	f, from := c.finder(ctx, sum), checkoutOf(now)
	if first := c.state.Checkouts.First; first != nil {
		from = record.Checkout{Branch: *first, Commit: c.state.Start}
	}
	if sum.Branch != "" {
		from.Branch = sum.Branch
	}
	if sum.Rebase = c.agent.tree.Repo.Rebasing(ctx); !sum.Rebase {
		_, sum.Open, f.err = c.agent.tree.Repo.Unfinished(ctx)
		sum.Moved = f.moved(from, checkoutOf(now), sum.Dirty > 0)
		has := now.Head
		if m := sum.Moved; m != nil && m.Ahead == 0 { // its commits are on another branch
			has = ""
		}
		sum.Others = f.others(append(c.state.Checkouts.Branches, from.Branch), now.Branch, has, sum.Main)
	}
	for _, o := range sum.Others {
		c.unrelated(ctx, f, sum, o.Branch, git.Branch(o.Branch))
	}
	if m := sum.Moved; m != nil && m.To.Commit != "" {
		c.unrelated(ctx, f, sum, cmp.Or(m.Name, m.To.Branch, m.To.Commit), m.To.Commit)
	}
	c.summarizeRest(ctx, f, sum, now.Head, c.nested(ctx, sum)...)
	return f.err
}

// unrelated adds a branch to a summary if it has no commit in common with the one that it would be merged into: the followed one
// or, without a worktree, the one that was left or is checked out.
func (c *checkouts) unrelated(ctx context.Context, f *finder, sum *Summary, name, head string) {
	into := cmp.Or(sum.Main, c.state.Start)
	if m := sum.Moved; sum.Main == "" && m != nil && m.From.Branch != "" && !m.Gone {
		into = m.From.Branch
	}
	if into == "" {
		return
	}
	_, err := c.repo().Base(ctx, into, head)
	if refused, is := errors.AsType[*git.Error](err); is && refused.Code == 1 {
		sum.Unrelated = append(sum.Unrelated, name)
	} else if !is { // otherwise one of them is gone
		f.err = errors.Join(f.err, err)
	}
}

// searchTimeout bounds the search of a working tree for what else git may remove with it: a part of summaryTimeout.
const searchTimeout = summaryTimeout / 2

// nested adds to a summary what else git may remove with the agent's working tree: the working trees in its directory, the
// submodules with files, other repositories, and what git ignores. It returns the commits that these working trees have checked
// out without a branch.
func (c *checkouts) nested(ctx context.Context, sum *Summary) (loose []string) {
	if c.work.worktree == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	list, err := c.work.worktree.Nested(ctx)
	sum.Unsearched = err != nil
	for _, n := range list {
		sum.Nested = append(sum.Nested, record.Nested{Dir: path.Join(sum.Dir, n.Dir), Submodule: n.Submodule, Repository: n.Repository, Checkout: record.Checkout{Branch: n.Branch, Commit: n.Commit}})
		if n.Branch == "" && n.Commit != "" {
			loose = append(loose, n.Commit)
		}
	}
	ignored, err := c.work.worktree.OnlyIgnored(ctx, c.project.tree.Repo.Top, func(name string) bool {
		below, _ := strings.CutPrefix(name, c.work.worktree.Prefix)
		return layout.IsRecord(below) || layout.IsRecord(below+"/") || slices.ContainsFunc(list, func(n git.Nested) bool { return n.Dir == name })
	})
	sum.Unsearched = sum.Unsearched || err != nil
	sum.Ignored, sum.Uncompared = ignored.Names[:min(len(ignored.Names), maxChanged)], ignored.Unread
	return loose
}

// summarizeWithout is like summarize for a tree that cannot be read.
func (c *checkouts) summarizeWithout(ctx context.Context, sum *Summary) error {
	f := c.finder(ctx, sum)
	sum.Others = f.others(c.state.Checkouts.Branches, sum.Branch, "", sum.Main)
	c.summarizeRest(ctx, f, sum, "")
	return f.err
}

func (c *checkouts) summarizeRest(ctx context.Context, f *finder, sum *Summary, head string, loose ...string) {
	sum.Project = c.projectMoved(ctx, f)
	if before := c.state.Checkouts.Stashes; before != nil {
		all, err := c.repo().Stashes(ctx)
		f.err = errors.Join(f.err, err)
		first := slices.IndexFunc(all, func(commit string) bool { return slices.Contains(before, commit) })
		if first < 0 {
			first = len(all)
		}
		if first > 0 {
			sum.Stashed = all[:min(first, maxChanged)]
		}
	}
	var heads []string
	if head != "" {
		heads = []string{head}
	}
	lost, err := c.lost(ctx, heads...)
	f.err = errors.Join(f.err, err)
	attempted := c.attempted(f)
	sum.Unlogged = c.work.worktree != nil && (c.state.Checkouts.Unlogged || !c.agent.log.Complete())
	sum.Unkept = f.unkept(slices.Concat(lost, attempted, c.state.Checkouts.Unkept, loose), heads)
	if p := sum.Project; p != nil && p.Moved != nil && p.Moved.Gone && p.Moved.From.Branch == sum.Main {
		sum.Main = cmp.Or(p.Moved.To.Branch, p.Moved.To.Commit) // it was renamed or deleted
	}
}

// attempted returns the commits that an attempt of a turn that was cut off may have left: those that it had
// checked out, and those that were checked out before it, without a branch or with one that is gone or was reset.
func (c *checkouts) attempted(f *finder) (commits []string) {
	known, err := c.work.savedBaseline(c.state.Turn + 1)
	if !c.begun() || err != nil || known == nil {
		return nil
	}
	trees := []*saved{&known.saved}
	if known.Project != nil {
		trees = append(trees, known.Project)
	}
	for _, s := range trees {
		before := s.read()
		if before.Head == "" {
			continue
		}
		if f.repo.HasBranch(f.ctx, before.Branch) {
			dropped, err := f.repo.Dropped(f.ctx, before.Head, git.Branch(before.Branch))
			if f.err = errors.Join(f.err, err); !dropped {
				continue
			}
		}
		commits = append(commits, before.Head)
	}
	for _, tree := range []*followed{c.agent, c.project} {
		if tree == nil {
			continue
		}
		moves, heads := tree.log.Moves(), []string(nil)
		if head, err := tree.tree.Repo.Head(f.ctx); err == nil { // else it has none, or is gone
			heads = []string{head}
		}
		dropped, err := c.dropped(f.ctx, moves.Reached, moves.Left, heads...)
		commits, f.err = slices.Concat(commits, moves.Left, dropped), errors.Join(f.err, err)
	}
	return commits
}

func (c *checkouts) finder(ctx context.Context, sum *Summary) *finder {
	f := &finder{ctx: ctx, repo: c.repo(), base: "ripple", since: c.state.Start, made: c.state.Checkouts.Logged}
	if sum.Branch != "" {
		f.base, f.since = sum.Branch, sum.Main
	}
	f.began, _ = time.Parse(record.StampLayout, c.state.Run) // of another ripple it may be anything
	return f
}

// projectMoved compares the user's own checkout with how it was before the first turn that changed it.
func (c *checkouts) projectMoved(ctx context.Context, f *finder) *record.Project {
	from := c.state.Checkouts.Project
	if c.project == nil || from == nil {
		return nil
	}
	now, err := c.project.tree.Snapshot(ctx)
	if err != nil {
		f.err = errors.Join(f.err, err)
		return nil
	}
	own := &finder{ctx: ctx, repo: f.repo, base: "ripple", since: from.Commit, began: f.began, taken: f.taken}
	p := &record.Project{Moved: own.moved(*from, checkoutOf(now), false), Files: c.state.Checkouts.Files}
	f.taken, f.err = own.taken, errors.Join(f.err, own.err)
	if p.Moved == nil && len(p.Files) == 0 {
		return nil
	}
	return p
}

// finder finds commits and names for branches that keep them.
type finder struct {
	ctx   context.Context
	repo  *git.Repo
	began time.Time // of the run: commits before it are not of the run, except those of made
	made  []string  // commits that the run made, whatever their times
	base  string    // name from which others are made
	since string    // branch or commit whose commits are not of the run
	taken []string  // names that were suggested
	err   error
}

func (f *finder) unusedName() string {
	name, err := f.repo.UnusedBranch(f.ctx, f.base, f.taken...)
	f.taken, f.err = append(f.taken, name), errors.Join(f.err, err)
	return name
}

func (f *finder) ahead(of string, others ...string) int {
	others = slices.DeleteFunc(others, func(o string) bool { return o == "" })
	n, err := f.repo.Ahead(f.ctx, f.began, of, others...)
	if err == nil && n < len(f.made) { // a clock may have been set back
		var all []string
		all, err = f.repo.Commits(f.ctx, maxMade, of, others...)
		n = max(n, len(slices.DeleteFunc(all, func(commit string) bool { return !slices.Contains(f.made, commit) })))
	}
	f.err = errors.Join(f.err, err)
	return n
}

func (f *finder) isUnkept(commit string, by ...string) bool {
	unkept, err := f.repo.Unkept(f.ctx, []string{commit}, by...)
	f.err = errors.Join(f.err, err)
	return err != nil || len(unkept) > 0
}

// moved compares what a tree had checked out with what it has; nil means the same branch. dirty
// reports whether it has changes to commit.
func (f *finder) moved(from, to record.Checkout, dirty bool) *record.Moved {
	if from.Branch == to.Branch && (to.Branch != "" || to.Commit == from.Commit) {
		return nil
	}
	m := &record.Moved{From: from, To: to, Gone: from.Branch != "" && !f.repo.HasBranch(f.ctx, from.Branch)}
	if to.Branch == "" && (dirty || f.isUnkept(to.Commit)) {
		m.Name = f.unusedName()
	}
	lacks := f.since
	if from.Branch != "" && !m.Gone {
		lacks = git.Branch(from.Branch)
	}
	if to.Commit != "" {
		m.Ahead = f.ahead(to.Commit, lacks)
	}
	return m
}

// others returns the branches with commits that has, a commit or "", does not contain. The branch
// that is checked out, and main, are left out.
func (f *finder) others(names []string, checkedOut, has, main string) (list []record.Other) {
	have := []string{f.since, has}
	for _, name := range slices.Backward(names) {
		if name == "" || name == checkedOut || name == main || !f.repo.HasBranch(f.ctx, name) {
			continue
		}
		if n := f.ahead(git.Branch(name), slices.Clone(have)...); n > 0 {
			list, have = append(list, record.Other{Branch: name, Commits: n}), append(have, git.Branch(name))
		}
	}
	return list
}

// unkept returns the commits that are on no branch; one that another one contains is left out.
func (f *finder) unkept(commits, heads []string) (list []record.Unkept) {
	by := slices.Clone(heads)
	for _, commit := range slices.Backward(commits) {
		if f.isUnkept(commit, by...) {
			list, by = append(list, record.Unkept{Commit: commit, Name: f.unusedName()}), append(by, commit)
		}
	}
	return list
}
