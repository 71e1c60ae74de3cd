package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// claim asks the exit gate and, where there are commands for it, checks what the
// agent says before it is believed. Nil: the loop goes on.
func (l *Loop) claim(ctx context.Context, p record.Plan) (*Stop, error) {
	s, c := &l.state, l.o.Config
	reason := (*gate)(&s.Gate).decide(p)
	switch {
	case reason == ReasonBlocked:
		return blockedStop(s), nil
	case reason == "" || s.Examined == s.Turn+1: // nothing new was said since
		return nil, nil
	case len(c.Verify) == 0:
		return doneStop(reason, s.Turn, s.Removed, 0), nil
	}
	now, err := l.tree.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if s.Proven == now.Digest() { // before a crash
		return doneStop(reason, s.Turn, s.Removed, len(c.Verify)), nil
	}
	done, ok, err := l.examine(ctx, now)
	if err := errors.Join(err, l.mend()); err != nil {
		return nil, err
	}
	if s.VerifyFailed = ""; !ok {
		s.Claims++
		s.Examined, s.VerifyFailed = s.Turn+1, done[len(done)-1].String()
	}
	v := record.Line{Turn: s.Turn, Time: l.now(), Type: record.Verified, Verdicts: done, State: s}
	if err := l.log.Add(v); err != nil {
		return nil, err
	}
	l.tell(Notice{Kind: NoticeVerified, Turn: s.Turn, Text: done[len(done)-1].String(), OK: ok, Record: &journal.Record{Line: v}})
	if !ok {
		return nil, nil
	}
	return doneStop(reason, s.Turn, s.Removed, len(c.Verify)), nil
}

// examine runs the commands, a second time when they changed the tree: they must
// succeed after the last change.
func (l *Loop) examine(ctx context.Context, before git.Snapshot) (done []record.Verdict, ok bool, err error) {
	c := l.o.Config
	l.tell(Notice{Kind: NoticeVerifying, Turn: l.state.Turn, Text: strings.Join(c.Verify, "; ")})
	if err := l.project("running", "verifying", ""); err != nil {
		return nil, false, err
	}
	name := fmt.Sprintf("verify_%04d_%s.log", l.state.Turn, record.Stamp(l.now()))
	file, err := os.Create(filepath.Join(l.store.Path(layout.LogsDir), name))
	if err != nil {
		return nil, false, err
	}
	defer file.Close() // for people
	l.checking = true
	defer func() { l.checking = err != nil }() // how an interrupt is told
	for range 2 {
		done, err = verifyAll(ctx, l.tree.Dir, c.Verify, c.VerifyTimeout, file)
		if err != nil {
			return nil, false, err
		}
		after, err := l.tree.Snapshot(ctx)
		if err != nil {
			return nil, false, err
		}
		ok, l.last, l.state.Proven = done[len(done)-1].OK, nil, ""
		if ok {
			l.state.Proven = after.Digest()
		}
		if !ok || before.Equal(after) {
			break
		}
		before = after
	}
	return done, ok, nil
}
