package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// NextTurn returns the agent and the request of the turn that a run would take next: the first one of a
// new run, or with Options.Resume the next one of the recorded run, if there is one. It changes nothing.
// The error is a *Stop if the run would stop at once; the request is then the one of a turn without that stop.
func NextTurn(ctx context.Context, o Options) (who Member, r Request, resumed bool, err error) {
	l := New(o)
	l.since = time.Now()
	if l.project, err = filepath.Abs(o.Project); err != nil {
		return who, r, false, err
	}
	l.store = journal.NewStore(l.project, nil)
	e := &ended{said: &analysis{}}
	if e.prompt, err = l.readPrompt(); err != nil {
		return who, r, false, err
	}
	if err := possible(ctx, o.Config, l.project); err != nil {
		return who, r, false, err
	}
	if resumed, err = l.previewResumed(); err == nil && !resumed {
		err = l.previewNew()
	}
	if err != nil {
		return who, r, false, err
	}
	r, err = l.preview(e)
	return l.team.who, r, resumed, err
}

// previewResumed restores the state of the recorded run as it is before its next turn, and reports
// whether there is one.
func (l *Loop) previewResumed() (bool, error) {
	if !l.o.Resume {
		return false, nil
	}
	found, err := journal.PeekRun(l.project)
	if errors.Is(err, journal.ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.observe = nil // the run itself reports it
	l.restoreState(found)
	if err := l.questions.preview(); err != nil {
		return false, err
	}
	l.dispatcher.choose()
	l.expireSession()
	l.team.choose()
	return true, nil
}

// previewNew makes the state of a new run.
func (l *Loop) previewNew() (err error) {
	s, _ := l.rules().Begin()
	l.dispatcher.choice = l.rules().Next(&s)
	l.team.who = l.team.members[0]
	if own, has := l.dispatcher.agents[l.dispatcher.hat()]; has {
		l.team.who = own
	}
	if data, err := layout.Read(l.project, layout.BreakerFile); err != nil || json.Unmarshal(data, &l.state.Breaker) != nil || !l.state.Breaker.Valid() {
		l.state.Breaker = record.Breaker{State: record.Closed} // the run itself reports why
	}
	(*breaker)(&l.state.Breaker).begin(l.config.AutoReset)
	l.state.Session.ID, err = l.previewSession()
	return err
}

// preview returns the request of the next turn.
func (l *Loop) preview(e *ended) (Request, error) {
	c, dir := l.config, l.project
	if c.Worktree != "" {
		dir = worktreeDir(l.project, c.Worktree) // a new run makes it
	}
	l.work.tree = &git.Tree{Dir: dir}
	p, err := planOf(l.project, dir)
	if err != nil {
		return Request{}, err
	}
	stop := l.stopNow(p)
	e.turn = l.state.Turn + 1
	l.questions.add(e)
	part := l.rules().Part(l.dispatcher.choice)
	if part.Prompt != "" {
		e.prompt = strings.TrimRight(e.prompt, "\n") + "\n\n" + part.Prompt
	}
	r := Request{
		Turn: e.turn, Prompt: e.prompt, SessionID: l.sessionID(),
		Context: about{c.Project(), e.turn, l.mostTurns(), part.Context, p, l.work.planForAgent(), l.state.Breaker.State, l.state.Last, l.state.Refusal, l.state.VerifyFailed, l.missing()}.context(),
		Dir:     dir, Timeout: cmp.Or(l.dispatcher.timeout(), l.team.who.Timeout, c.Timeout), IdleTimeout: c.IdleTimeout, Hat: l.dispatcher.hat(),
		AllowedTools: l.state.Allowed,
	}
	if stop != nil {
		return r, stop
	}
	return r, nil
}

// stopNow returns the stop with which the loop ends instead of taking the turn; nil if it takes it. A claim that commands have to
// verify is not examined.
func (l *Loop) stopNow(p record.Plan) *Stop {
	if stop := l.limits.cause(); stop != nil {
		return stop
	}
	if now := l.now(); !(*breaker)(&l.state.Breaker).allow(thresholdsOf(l.config), now) {
		return l.limits.openStop(now)
	}
	if reason := l.checker.claimed(p); reason != "" && (reason == ReasonBlocked || len(l.config.Verify) == 0) {
		return l.checker.believed(reason, p)
	}
	return l.limits.budget(p)
}

// previewSession returns the session that the first turn of a new run continues, or "".
func (l *Loop) previewSession() (string, error) {
	s, err := journal.PeekSession(l.store)
	switch {
	case err != nil || l.rules().Active() || s.Expired(l.config.SessionExpiry, l.now()) || !event.IsSessionID(s.ID):
		return "", err
	case s.Agent != "" && len(l.team.members) > 0 && s.Agent != l.team.members[0].Name:
		return "", nil
	}
	return s.ID, nil
}

// possible returns the stop for a repository that lacks something the settings need. It changes
// nothing.
func possible(ctx context.Context, c *config.Config, project string) error {
	r, err := git.Open(ctx, project)
	if err != nil && !errors.Is(err, git.ErrNoRepository) {
		return err
	}
	if err := needsGit(ctx, c, project, r); err != nil || c.Worktree == "" {
		return err
	}
	_, err = r.Follows(ctx, worktreeDir(project, c.Worktree), c.Worktree)
	return worktreeStop(err)
}
