package loopcmd

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
)

// agreedAndReady checks two conditions before the first turn: the user's trust, which is checked
// before any program of the project is examined, and the agents.
func agreedAndReady(ctx context.Context, a *app, project string, first *loopAgent, o *loop.Options) error {
	project, err := filepath.EvalSymlinks(project)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	claim, err := agreedTo(a.App, project, first, o)
	if err != nil {
		return err
	}
	if err := a.readyAll(ctx, first, *o); err != nil {
		return err
	}
	return claim()
}

// agreedTo makes sure that the user trusts the commands that the project's files let this loop
// run, and that the user made or trusts the loop's own directory. It adds to the options what git may run. claim
// records the run and its directory as the user's.
func agreedTo(a *ui.App, project string, first *loopAgent, o *loop.Options) (claim func() error, err error) {
	need := a.Trust.SettingsItems(project, o.Config.Files())
	scripted := ui.Plays(first.entry)
	for _, m := range slices.AppendSeq(slices.Clone(o.Fallback), maps.Values(o.HatAgents)) {
		scripted = scripted && ui.Plays(m.Agent.(*loopAgent).entry)
	}
	if !scripted || o.Resume { // whose settings are in the same place
		need = append(need, ui.LoopItems(project)...)
	}
	if o.Resume {
		need = append(need, a.Trust.RunItems(project)...)
	}
	git, risks := ui.GitItems(project)
	if risks != nil { // otherwise the loop reports why git cannot be used
		need = append(need, git...)
	}
	if err := a.Trust.Agree(need); err != nil {
		return nil, err
	}
	o.GitAccepted = risks
	return func() error {
		a.Trust.OwnRun(project, need, o.Settings)
		return a.Trust.ClaimLoop(project)
	}, nil
}

// mayReadTask reports whether the file of the task may be read without a question: the user named it, or approved the file of the
// project that names it.
func mayReadTask(a *app, project string, c *config.Config, f loopFlags) bool {
	switch {
	case !f.ofProject:
		return true
	case f.kept:
		return a.Trust.Approved(a.Trust.RunItems(project)...)
	}
	return a.Trust.Approved(ui.SettingsItems(c.Files())...)
}
