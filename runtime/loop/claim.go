package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// claim asks the exit gate and, where there are commands for it, checks what the
// agent says before it is believed. Nil: the loop goes on.
func (l *Loop) claim(ctx context.Context, p plan) (*Stop, error) {
	s, c := &l.state, l.o.Config
	reason := s.Gate.decide(p)
	switch {
	case reason == ReasonBlocked:
		return blockedStop(s), nil
	case reason == "" || s.Examined == s.Turn+1: // nothing new was said since
		return nil, nil
	case len(c.Verify) == 0:
		return doneStop(reason, s.Turn, 0), nil
	}
	now, err := l.tree.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if s.Proven == now.digest() { // before a crash
		return doneStop(reason, s.Turn, len(c.Verify)), nil
	}
	done, ok, err := l.examine(ctx, now)
	if err := errors.Join(err, l.mend()); err != nil {
		return nil, err
	}
	if s.VerifyFailed = ""; !ok {
		s.Claims++
		s.Examined, s.VerifyFailed = s.Turn+1, done[len(done)-1].String()
	}
	if err := l.log.add(line{Turn: s.Turn, Time: l.now(), Type: verified, Verdicts: done, State: s}); err != nil {
		return nil, err
	}
	l.tell(Notice{Kind: NoticeVerified, Turn: s.Turn, Text: done[len(done)-1].String(), OK: ok})
	if !ok {
		return nil, nil
	}
	return doneStop(reason, s.Turn, len(c.Verify)), nil
}

// examine runs the commands, a second time when they changed the tree: they must
// succeed after the last change.
func (l *Loop) examine(ctx context.Context, before snapshot) (done []verdict, ok bool, err error) {
	c := l.o.Config
	l.tell(Notice{Kind: NoticeVerifying, Turn: l.state.Turn, Text: strings.Join(c.Verify, "; ")})
	if err := l.project("running", "verifying", ""); err != nil {
		return nil, false, err
	}
	name := fmt.Sprintf("verify_%04d_%s.log", l.state.Turn, stamp(l.now()))
	file, err := os.Create(filepath.Join(l.store.dir, LogsDir, name))
	if err != nil {
		return nil, false, err
	}
	defer file.Close() // for people
	for range 2 {
		done, err = verifyAll(ctx, l.tree.dir, c.Verify, c.VerifyTimeout, file)
		if err != nil {
			return nil, false, err
		}
		after, err := l.tree.snapshot(ctx)
		if err != nil {
			return nil, false, err
		}
		ok, l.last, l.state.Proven = done[len(done)-1].OK, nil, ""
		if ok {
			l.state.Proven = after.digest()
		}
		if !ok || before.equal(after) {
			break
		}
		before = after
	}
	return done, ok, nil
}

// keep commits and tags the last turn, if it changed something and that is asked
// for. After a crash it finds out what is left to do.
func (l *Loop) keep(ctx context.Context) error {
	s, c := &l.state, l.o.Config
	if !c.Commit && !c.Tag || s.Committed >= s.Turn || l.begun {
		return nil
	}
	before, err := l.knownBefore(s.Turn)
	if err != nil {
		return err
	}
	now, err := l.treeNow(ctx)
	if err != nil {
		return err
	}
	v := line{Turn: s.Turn, Type: committed, SHA: now.Head}
	if ch := toCommit(before, now); c.Commit && !ch.empty() {
		if v.SHA, err = l.commit(ctx, ch, now.Head); err != nil {
			return gitStop("commit", err)
		}
	}
	if v.SHA == "" || before != nil && v.SHA == before.Head { // nobody committed anything
		s.Committed = s.Turn
		return nil
	}
	if c.Tag {
		v.Tag = fmt.Sprintf("ripple/%s/turn-%d", s.Run, s.Turn)
		if err := l.writes(os.Getpid(), v.SHA, v.Tag); err != nil {
			return err
		}
		if err := l.tree.repo.tag(ctx, v.Tag, v.SHA); err != nil {
			return gitStop("tag", err)
		}
	}
	s.Committed = s.Turn
	v.Time, v.State, l.last = l.now(), s, nil
	l.tell(Notice{Kind: NoticeCommitted, Turn: s.Turn, Text: strings.TrimSpace(short(v.SHA) + " " + v.Tag)})
	return errors.Join(l.log.add(v), l.store.remove(writingFile))
}

func (l *Loop) commit(ctx context.Context, ch change, head string) (string, error) {
	if err := l.store.write(pathsFile, []byte(ch.String())); err != nil {
		return "", err
	}
	began := func(pid int) error { return l.writes(pid, head, "") }
	sha, err := l.tree.repo.commit(ctx, ch, head, l.message(), began)
	if failed, ok := errors.AsType[*gitError](err); ok && failed.code >= 0 { // it ended in order
		err = errors.Join(err, l.store.remove(writingFile))
	}
	return sha, err
}

// toCommit are the files of the turn that are not committed: what was dirty
// before it is the user's.
func toCommit(before *snapshot, now snapshot) (ch change) {
	if before == nil {
		return ch // somebody removed the file: nothing is known to be ours
	}
	for _, name := range before.changed(now) {
		content, dirty := now.Files[name]
		switch {
		case !dirty || strings.HasPrefix(content, within):
		case strings.HasPrefix(content, absent):
			ch.gone = append(ch.gone, name)
		default:
			ch.there = append(ch.there, name)
		}
	}
	return ch
}

func (l *Loop) message() string {
	text := fmt.Sprintf("ripple: turn %d", l.state.Turn)
	for _, more := range []struct{ label, text string }{{"Task: ", l.state.Task}, {"Next: ", l.state.Recommended}} {
		if more.text != "" {
			text += "\n\n" + more.label + more.text
		}
	}
	return text
}

// short is a commit as people write it; the whole name is in events.jsonl.
func short(sha string) string { return sha[:min(len(sha), 10)] }

func gitStop(what string, err error) error {
	if c, ok := errors.AsType[*conflictError](err); ok {
		return c
	}
	return &Stop{
		Reason: ReasonConflict, ExitCode: ExitBlocked, Why: sentence("The turn's work is in the tree and git refuses to " + what + " it: " + err.Error()),
		Next: "Put right what git says, then run `ripple run --resume`; nothing was changed.",
	}
}
