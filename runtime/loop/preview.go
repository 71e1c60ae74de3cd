package loop

import (
	"context"
	"path/filepath"
	"strings"

	"example.com/ripple/runtime/event"
	"example.com/ripple/runtime/internal/git"
	"example.com/ripple/runtime/loop/config"
	"example.com/ripple/runtime/loop/journal"
	"example.com/ripple/runtime/loop/layout"
	"example.com/ripple/runtime/loop/record"
)

// FirstPrompt returns the prompt of the first turn of a new run. It changes nothing. The error is
// a *Stop if the run would stop at once.
func FirstPrompt(ctx context.Context, o Options) (Request, error) {
	l := New(o)
	project, err := filepath.Abs(o.Project)
	if err != nil {
		return Request{}, err
	}
	l.project, l.store = project, journal.NewStore(project, nil)
	prompt, err := l.readPrompt()
	if err != nil {
		return Request{}, err
	}
	p, err := planOf(l.project, l.project)
	if err != nil {
		return Request{}, err
	}
	c := o.Config
	rules := l.rules()
	s, _ := rules.Begin()
	choice := rules.Next(&s)
	part := rules.Part(choice)
	if part.Prompt != "" {
		prompt = strings.TrimRight(prompt, "\n") + "\n\n" + part.Prompt
	}
	l.roles.choice = choice
	if err := possible(ctx, c, project); err != nil {
		return Request{}, err
	}
	session, err := l.previewSession()
	if err != nil {
		return Request{}, err
	}
	return Request{
		Turn: 1, Prompt: prompt, SessionID: session, Context: about{project: c.Project(), role: part.Context, turn: 1, maxTurns: c.MaxTurns, plan: p, planPath: layout.Dir + "/" + layout.NameIn(layout.Files(l.project), layout.PlanFile), breaker: record.Closed}.context(),
		Dir: project, Timeout: c.Timeout, IdleTimeout: c.IdleTimeout, Hat: l.roles.hat(),
	}, nil
}

// previewSession returns the session that the first turn of a new run continues, or "".
func (l *Loop) previewSession() (string, error) {
	s, err := journal.PeekSession(l.store)
	l.state.Session = s
	switch {
	case err != nil || l.rules().Active() || s.Expired(l.config.SessionExpiry, l.now()) || !event.IsSessionID(s.ID):
		return "", err
	case s.Agent != "" && len(l.team.members) > 0 && s.Agent != l.team.members[0].Name:
		return "", nil
	}
	return l.sessionID(), nil
}

// possible returns the stop for a repository that lacks something the settings need. It changes
// nothing.
func possible(ctx context.Context, c *config.Config, project string) error {
	r, err := git.Open(ctx, project)
	if err != nil {
		return err
	}
	if err := needsGit(ctx, c, project, r); err != nil || c.Worktree == "" {
		return err
	}
	_, err = r.Follows(ctx, worktreeDir(project, c.Worktree), c.Worktree)
	return worktreeStop(err)
}
