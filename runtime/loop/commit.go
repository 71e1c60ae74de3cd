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

	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/layout"
	"example.org/ripple/runtime/loop/record"
)

// committer commits and tags what turns made.
type committer struct {
	*run
	work       *workspace
	interrupts *interrupts
	settled    int // the turn that git has nothing more of: refused, or nothing to commit
}

// open makes up for a run that was killed while it committed, and finds out whether
// this one can commit.
func (c *committer) open(ctx context.Context) error {
	if !c.config.Commit && !c.config.Tag {
		return nil
	}
	if err := c.release(ctx); err != nil {
		return gitStop("commit", err)
	}
	return c.ready(ctx)
}

// commitTurn commits and tags the last turn, if it changed something and that is asked
// for. After a crash it finds out what is left to do.
func (c *committer) commitTurn(ctx context.Context) error {
	s := &c.state
	if !c.config.Commit && !c.config.Tag || s.Committed >= s.Turn || c.begun() || c.settled == s.Turn {
		return nil
	}
	known, err := c.work.savedBaseline(s.Turn)
	if err != nil {
		return err
	}
	if known == nil { // it is of the next turn already, or somebody removed it
		c.settled = s.Turn
		return nil
	}
	before := known.read()
	now, err := c.work.snapshot(ctx)
	if err != nil {
		return err
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
	if made, err := c.isNew(ctx, v.SHA, before.Head); err != nil || !made {
		c.settled = s.Turn
		return err
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
	v.Time, v.State = c.now(), s
	c.tell(Notice{Kind: NoticeCommitted, Turn: s.Turn, Text: strings.TrimSpace(short(v.SHA) + " " + v.Tag), Record: &journal.Record{Line: v}})
	return errors.Join(c.log.Add(v), c.store.Remove(layout.WritingFile))
}

// isNew reports whether somebody committed something: a commit that was only checked out, or that
// the one before the turn contains, is none.
func (c *committer) isNew(ctx context.Context, sha, before string) (bool, error) {
	if sha == "" || sha == before || before == "" {
		return sha != "" && sha != before, nil
	}
	n, err := c.work.tree.Repo.Ahead(ctx, time.Time{}, sha, before)
	return n > 0, err
}

// accepted forgets an earlier refusal. What a hook changed beside the commit goes
// into the next one.
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
	began := func(pid int) error { return c.writes(pid, head, "") }
	ch.NoHooks = c.work.whole != nil // hooks run outside of the box
	sha, err := c.work.tree.Repo.Commit(ctx, ch, head, c.message(), c.config.VerifyTimeout, began)
	if git.Ended(err) {
		err = errors.Join(err, c.store.Remove(layout.WritingFile))
	}
	if err != nil && errors.Is(context.Cause(ctx), errAskedToStop) {
		err = &Stop{Reason: ReasonInterrupted, Err: err, Why: "Interrupted while git made the commit of the turn, which is made when the loop goes on."}
	}
	return sha, err
}

// notCommitted tells the agent, like a check that failed, what a hook or a merge of
// the agent's own refuses; its files are committed with the next turn's. Others, and
// one that is refused again and again, are a person's.
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
	if err := c.log.Add(record.Line{Turn: s.Turn, Time: c.now(), Type: record.CommitRefused, Why: s.Refusal, State: s}); err != nil {
		return err
	}
	if s.Refused >= c.config.VerifyAttempts {
		return gitStop("commit", err)
	}
	c.note("the turn is not committed yet, and the agent is told why: " + s.Refusal)
	return nil
}

// refusal is what git says of a commit that the agent may put right.
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

// changedByHook is what a commit was to be made of and what its hooks changed since
// a snapshot, as far as it is not committed. Names are quoted: they are bytes.
func (c *committer) changedByHook(ctx context.Context, ch git.Change, since git.Snapshot) (quoted []string, err error) {
	now, err := c.work.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	c.work.last = &now
	names := ch.Names()
	for _, name := range since.Changed(now) {
		if _, was := since.Files[name]; !was { // else it is the user's, or in names
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

// toCommit is what the turn changed and is not committed, and what is owed from
// before it. What was dirty before the turn is the user's.
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

// noteInner says that a repository inside this one keeps its files to itself.
func (c *committer) noteInner(name string) {
	for dir := filepath.Dir(filepath.FromSlash(name)); dir != "."; dir = filepath.Dir(dir) {
		if layout.There(filepath.Join(c.work.tree.Repo.Top, dir, ".git")) {
			c.noteOnce(dir, "", filepath.ToSlash(dir)+" is a git repository of its own: what changes in it is progress, and is not committed here")
			return
		}
	}
}

// message is what a commit says.
func (c *committer) message() string {
	text := fmt.Sprintf("ripple: turn %d", c.state.Turn)
	for _, more := range []struct{ label, text string }{{"Task: ", c.state.Task}, {"Next: ", c.state.Recommended}} {
		if more.text != "" {
			text += "\n\n" + more.label + more.text
		}
	}
	return text
}

// short is a commit as people write it; the whole name is in events.jsonl.
func short(sha string) string { return sha[:min(len(sha), 10)] }

func gitStop(what string, err error) error {
	if c, ok := errors.AsType[*git.Conflict](err); ok {
		return c
	}
	if _, late := errors.AsType[*git.TimeoutError](err); late {
		return &Stop{
			Reason: ReasonConflict, Err: err, Why: sentence("The turn's work is in the tree and is not committed: " + err.Error()),
			Do: "run the repository's hooks yourself and put them right, or give them more time: a commit has that of a check",
		}
	}
	return &Stop{
		Reason: ReasonConflict, Err: err, Why: sentence("The turn's work is in the tree and git refuses to " + what + " it: " + err.Error()),
		Do: "put right what git says (the work stays as it is until then)",
	}
}
