package loop

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// checker decides whether the work is done.
type checker struct {
	*run
	work      *workspace
	backup    *backup
	questions *questions
	running   bool // the commands of verify are running
}

// claim asks the exit gate whether the agent claims that the work is done and, if there are
// commands to verify it, runs them. It reports whether the loop ends, and then why. The plan and the user's
// messages are read again after a successful check.
func (c *checker) claim(ctx context.Context, p *record.Plan) (why *Stop, ends bool, err error) {
	s, config := &c.state, c.config
	reason := c.claimed(*p)
	switch {
	case reason == "":
		return nil, false, nil
	case reason == ReasonBlocked || len(config.Verify) == 0:
		return c.believed(reason, *p), true, nil
	}
	now, err := c.work.tree.Snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	if s.Proven == now.Digest() && slices.Equal(s.ProvenBy, config.Verify) { // before a crash or a stop
		return doneStop(reason, c.work.planInProject(), *p, s, len(config.Verify)), true, nil
	}
	done, ok, err := c.examine(ctx, now)
	if err := errors.Join(err, c.backup.mend()); err != nil {
		return nil, false, err
	}
	if s.VerifyFailed = ""; !ok {
		s.Claims++
		s.Examined, s.VerifyFailed = s.Turn+1, done[len(done)-1].String()
	}
	v := record.Line{Turn: s.Turn, Time: c.now(), Type: record.Verified, Verdicts: done, State: c.stateNow()}
	if err := c.log.Add(v); err != nil {
		return nil, false, err
	}
	c.tell(Notice{Kind: NoticeVerified, Turn: s.Turn, Text: done[len(done)-1].String(), OK: ok, Record: &journal.Record{Line: v}})
	if !ok {
		return nil, false, nil
	}
	if err := c.questions.take(); err != nil {
		return nil, false, err
	}
	if *p, err = planOf(c.project, c.work.tree.Dir); err != nil {
		return nil, false, err
	}
	if reason = c.claimed(*p); reason == "" { // the user added a task or wrote a message during the check
		return nil, false, nil
	}
	return doneStop(reason, c.work.planInProject(), *p, s, len(config.Verify)), true, nil
}

// claimed returns the reason for which the gate would end the loop, or "".
func (c *checker) claimed(p record.Plan) string {
	if c.begun() { // the interrupted turn may have ticked tasks, and its work is not committed
		return ""
	}
	reason := c.allows((*gate)(&c.state.Gate).decide(p))
	examined := c.state.Examined == c.state.Turn+1 // after this turn
	if reason != ReasonBlocked && (examined || c.unheard()) {
		return ""
	}
	return reason
}

// believed returns the stop for a claim that nothing verifies.
func (c *checker) believed(reason string, p record.Plan) *Stop {
	if reason == ReasonBlocked {
		return blockedStop(&c.state)
	}
	return doneStop(reason, c.work.planInProject(), p, &c.state, 0)
}

// examine runs the commands, and runs them again if they changed the tree: they must succeed after
// the last change.
func (c *checker) examine(ctx context.Context, before git.Snapshot) (done []record.Verdict, ok bool, err error) {
	c.tell(Notice{Kind: NoticeVerifying, Turn: c.state.Turn, Text: strings.Join(c.config.Verify, "; ")})
	if err := c.publish("running", "verifying", ""); err != nil {
		return nil, false, err
	}
	name := fmt.Sprintf("verify_%04d_%s.log", c.state.Turn, record.Stamp(c.now()))
	file, err := c.store.Files().Create(path.Join(layout.LogsDir, name))
	if err != nil {
		return nil, false, err
	}
	log := c.newLog(file)
	defer log.Close() // errors are ignored: the log is for users
	c.running = true
	defer func() { c.running = err != nil }() // shows an interrupt
	for range 2 {
		done, err = c.work.verify(ctx, c.config.Verify, log)
		if err != nil {
			return nil, false, err
		}
		after, err := c.work.tree.Snapshot(ctx)
		if err != nil {
			return nil, false, err
		}
		ok, c.work.last, c.state.Proven, c.state.ProvenBy = done[len(done)-1].OK, nil, "", nil
		if ok {
			c.state.Proven, c.state.ProvenBy = after.Digest(), c.config.Verify
		}
		if !ok || before.Equal(after) {
			break
		}
		before = after
	}
	return done, ok, nil
}
