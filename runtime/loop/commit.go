package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// committer commits and tags what turns made.
type committer struct {
	*run
	work       *workspace
	interrupts *interrupts
	settled    int // the last turn for which this process has no more to do: its commit was refused, is complete or is not needed
}

// open repairs the traces of a run that was killed while it committed, and checks whether this run
// can commit.
func (c *committer) open(ctx context.Context) error {
	if !c.config.Commit && !c.config.Tag {
		return nil
	}
	if err := c.release(ctx); err != nil {
		return gitStop("commit", err)
	}
	return c.ready(ctx)
}

// commitTurn commits and tags the last turn, if the settings ask for it and the turn changed
// something. After a crash it does the steps that are missing.
func (c *committer) commitTurn(ctx context.Context) error {
	s := &c.state
	if s.Committed >= s.Turn || c.begun() || c.settled == s.Turn {
		return nil
	}
	if !c.config.Commit && !c.config.Tag {
		return c.complete()
	}
	known, err := c.work.savedBaseline(s.Turn)
	if err != nil {
		return err
	}
	if known == nil { // the saved one belongs to the next turn, or was removed
		return c.complete()
	}
	before := known.read()
	now, err := c.work.snapshot(ctx)
	if err != nil {
		return err
	}
	if s.Refusal != "" && s.Examined == s.Turn+1 {
		// An earlier process ended after git had refused the commit. The next commit gets the turn's files, which are in Owed. The user
		// has made all changes since then, because no turn has begun.
		before = &now
	}
	v := record.Line{Turn: s.Turn, Type: record.Committed, SHA: now.Head}
	var ch git.Change
	if c.config.Commit {
		ch = c.toCommit(*before, now)
		v.Why = c.warn(ch.There)
		if v.SHA, err = c.commit(ctx, ch, now.Head); err != nil {
			return c.notCommitted(ctx, err, ch, now)
		}
	}
	if err := c.accepted(ctx, v.SHA, ch, now); err != nil {
		return err
	}
	made, err := c.isNew(ctx, v.SHA, before.Head)
	if err != nil {
		return err
	}
	if !made {
		return c.complete()
	}
	if c.config.Tag {
		v.Tag = fmt.Sprintf("ripple/%s/turn-%d", s.Run, s.Turn)
		if err := c.writes(os.Getpid(), v.SHA, v.Tag); err != nil {
			return err
		}
		if err := c.work.tree.Repo.Tag(ctx, v.Tag, v.SHA); err != nil {
			return gitStop("tag", err)
		}
	}
	s.Committed = s.Turn
	if v.SHA != now.Head { // other commits are the agent's, in git's log of HEAD, or were only checked out
		if c.work.worktree != nil {
			c.work.checkouts.remember([]string{v.SHA})
		}
		s.Checkouts.Logged = lastOf(append(s.Checkouts.Logged, v.SHA))
	}
	v.Time, v.State = c.now(), c.stateNow()
	c.tell(Notice{Kind: NoticeCommitted, Turn: s.Turn, Text: strings.TrimSpace(short(v.SHA) + " " + v.Tag), Record: &journal.Record{Line: v}})
	return errors.Join(c.log.Add(v), c.store.Remove(layout.WritingFile))
}

// complete removes the tree from before the last turn, which needs no commit, or no other. Later changes are not the turn's, but
// the user's, also if the run ends here and continues later.
func (c *committer) complete() error {
	c.settled = c.state.Turn
	return c.store.Remove(layout.SnapshotFile)
}

// isNew reports whether there is a new commit. A commit that was only checked out, or that the
// commit before the turn contains, is not new.
func (c *committer) isNew(ctx context.Context, sha, before string) (bool, error) {
	if sha == "" || sha == before || before == "" {
		return sha != "" && sha != before, nil
	}
	made := git.Snapshot{Head: sha}
	if err := c.work.tree.Identify(ctx, &made); err != nil || made.HeadParent == before {
		return err == nil, err
	}
	n, err := c.work.tree.Repo.Ahead(ctx, time.Time{}, sha, before)
	return n > 0, err
}

// accepted clears an earlier refusal. Files that a hook changed but did not add to the commit become
// part of the next one.
func (c *committer) accepted(ctx context.Context, head string, ch git.Change, before git.Snapshot) (err error) {
	s := &c.state
	if s.Refusal != "" && s.Examined == s.Turn+1 { // what the turn claims counts again
		s.Examined = s.Turn
	}
	s.Refused, s.Refusal, s.Owed = 0, "", nil
	if head == before.Head {
		return nil
	}
	s.Owed, err = c.changedByHook(ctx, ch, before)
	return err
}

func (c *committer) commit(ctx context.Context, ch git.Change, head string) (string, error) {
	if ch.Empty() {
		return head, nil
	}
	if err := c.store.Write(layout.PathsFile, []byte(ch.String())); err != nil {
		return "", err
	}
	if err := c.publish("running", c.action(fmt.Sprintf("committing turn %d", c.state.Turn)), ""); err != nil {
		return "", err
	}
	ctx, done := c.patience(ctx)
	defer done()
	c.work.last = nil // git is about to change it
	began := func(pid int) error { return c.writes(pid, head, "") }
	ch.NoHooks = c.work.whole != nil // hooks run outside of the box
	sha, err := c.work.tree.Repo.Commit(ctx, ch, head, c.message(), c.config.VerifyTimeout, began)
	if git.Ended(err) {
		err = errors.Join(err, c.store.Remove(layout.WritingFile))
	}
	if err != nil && errors.Is(context.Cause(ctx), errAskedToStop) {
		err = &Stop{Reason: ReasonInterrupted, Err: err, Message: "Interrupted while git committed the turn; the commit is made when the loop continues."}
	}
	return sha, err
}

// notCommitted handles a commit that failed. If a hook, or a merge that the agent began, refuses it,
// the agent gets the reason, as after a failed check, and the files are committed with those of the
// next turn. Other errors, and repeated refusals, stop the loop.
func (c *committer) notCommitted(ctx context.Context, err error, ch git.Change, now git.Snapshot) error {
	s := &c.state
	if stop, is := errors.AsType[*Stop](err); is {
		return stop
	}
	words, refused := refusal(err)
	if !refused {
		return gitStop("commit", err)
	}
	c.settled = s.Turn
	s.Refused, s.Refusal, s.Examined = s.Refused+1, record.OneLine(words, 400), s.Turn+1
	var serr error
	if s.Owed, serr = c.changedByHook(ctx, ch, now); serr != nil {
		return serr
	}
	if err := c.log.Add(record.Line{Turn: s.Turn, Time: c.now(), Type: record.CommitRefused, Why: s.Refusal, State: c.stateNow()}); err != nil {
		return err
	}
	if s.Refused >= c.config.VerifyAttempts {
		return gitStop("commit", err)
	}
	c.note("the turn is not committed yet; the agent gets the reason: " + s.Refusal)
	return nil
}

// refusal returns git's message if it refused a commit for a reason that the agent may fix.
func refusal(err error) (words string, refused bool) {
	if conflict, ok := errors.AsType[*git.Conflict](err); ok {
		return conflict.Why, true
	}
	if g, ok := errors.AsType[*git.Error](err); ok && g.RefusedCommit() {
		if g.Said == "" {
			return fmt.Sprintf("git commit failed (exit code %d, without a message): a hook of the repository may refuse it", g.Code), true
		}
		return g.Said, true
	}
	return "", false
}

// changedByHook returns the uncommitted files among those that were to be committed and those that
// hooks have changed since a snapshot. Names are quoted, because they may not be valid UTF-8.
func (c *committer) changedByHook(ctx context.Context, ch git.Change, since git.Snapshot) (quoted []string, err error) {
	now, err := c.work.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	c.work.last = &now
	names := ch.Names()
	for _, name := range since.Changed(now) {
		if _, was := since.Files[name]; !was { // the others are the user's, or are in names already
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, dirty := now.Files[name]; dirty {
			quoted = append(quoted, strconv.Quote(name))
		}
	}
	return quoted, nil
}

// toCommit returns the uncommitted changes of the turn, and those owed from earlier turns.
// Files that had changes before the turn are left to the user.
func (c *committer) toCommit(before, now git.Snapshot) (ch git.Change) {
	owed := map[string]bool{}
	for _, q := range c.state.Owed {
		if name, err := strconv.Unquote(q); err == nil {
			owed[name] = true
		}
	}
	names := before.Changed(now)
	for name := range owed {
		names = append(names, name)
	}
	slices.Sort(names)
	var theirs []string
	for _, name := range slices.Compact(names) {
		_, dirty := now.Files[name]
		_, was := before.Files[name]
		switch {
		case !dirty:
		case now.Inner(name):
			c.noteInner(name)
		case was && !owed[name] && !c.config.CommitAll:
			theirs = append(theirs, name)
		case now.Gone(name):
			ch.Gone = append(ch.Gone, name)
		default:
			ch.There = append(ch.There, name)
		}
	}
	if len(theirs) > 0 {
		c.noteOnce(strings.Join(theirs, "\x00"), TopicMixed, "not committed, since you had changes in it before the turn: "+record.FirstNames(theirs))
	}
	return ch
}

// noteInner reports that the files of a repository inside this one are not committed.
func (c *committer) noteInner(name string) {
	for dir := filepath.Dir(filepath.FromSlash(name)); dir != "."; dir = filepath.Dir(dir) {
		if layout.There(filepath.Join(c.work.tree.Repo.Top, dir, ".git")) {
			c.noteOnce(dir, "", filepath.ToSlash(dir)+" is a separate git repository: changes in it count as progress, but are not committed here")
			return
		}
	}
}

// message returns the commit message of the turn.
func (c *committer) message() string {
	text := fmt.Sprintf("ripple: turn %d", c.state.Turn)
	for _, more := range []struct{ label, text string }{{"Task: ", c.state.Task}, {"Next: ", c.state.Recommended}} {
		if more.text != "" {
			text += "\n\n" + more.label + more.text
		}
	}
	return text
}

// short returns an abbreviated commit hash; events.jsonl has the whole one.
func short(sha string) string { return sha[:min(len(sha), 10)] }

func gitStop(what string, err error) error {
	if c, ok := errors.AsType[*git.Conflict](err); ok {
		return c
	}
	if _, late := errors.AsType[*git.TimeoutError](err); late {
		return &Stop{
			Reason: ReasonConflict, Err: err, Message: sentence("The turn's changes are in the working tree, but not committed: " + err.Error()),
			Fix: "run the repository's hooks and fix them, or give them more time: a commit may take as long as a check",
		}
	}
	if git.OfSystem(err) {
		return &Stop{Reason: ReasonError, Err: err, Message: sentence("The turn's changes are in the working tree, but not committed: " + err.Error())}
	}
	return &Stop{
		Reason: ReasonConflict, Err: err, Message: sentence("The turn's changes are in the working tree, but git refuses to " + what + " them: " + err.Error()),
		Fix: "fix what git reports (the work stays as it is until then)",
	}
}
