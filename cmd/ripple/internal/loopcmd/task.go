package loopcmd

import (
	"context"
	"maps"
	"slices"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop"
)

// Task is work that another command gives to an agent. Its display goes to standard error:
// standard output belongs to that command.
type Task struct {
	a       *app
	flags   loopFlags
	options loop.Options
	agent   *loopAgent
}

// NewTask returns a task for the named agent in a directory, with a model ("": the agent's
// default) and with settings by the names of their flags. Its errors are those that would end the
// loop before the first turn, with their exit codes: an invalid setting, a missing agent, a
// missing login.
func NewTask(ctx context.Context, shared *ui.App, dir, agent, model string, settings map[string]string) (*Task, error) {
	aside := *shared
	aside.Out, aside.Raw.Out, aside.Stdout = shared.Err, shared.Err, shared.Err
	t := &Task{a: &app{&aside}, flags: loopFlags{project: dir, model: model}}
	settings = maps.Clone(settings)
	settings["adapter"], settings["wait-for-answer"] = agent, "never" // `ripple answer` would have to be called in dir
	var err error
	if t.options, t.agent, err = t.a.loopOptions(ctx, dir, t.flags, settings); err != nil {
		return nil, err
	}
	return t, t.a.readyAll(ctx, t.agent, t.options)
}

// Agent returns the name of the agent's adapter.
func (t *Task) Agent() string { return t.agent.entry.Name }

// Run lets the agent work on .ralph/PROMPT.md until the work is done or the loop ends for another
// reason; it is done when the command verify succeeds. around wraps each agent of the loop; tell
// prints a notice in the style of the loop's.
func (t *Task) Run(ctx context.Context, verify string, around func(of loop.Agent, tell func(loop.Notice)) loop.Agent) loop.Stop {
	o := t.options
	config := *o.Config
	config.Verify, o.Config = []string{verify}, &config
	view := t.a.newLoopView(t.agent.entry, o.Config, t.flags)
	o.Agent = around(o.Agent, view.notice)
	o.Fallback = slices.Clone(o.Fallback)
	for i := range o.Fallback {
		o.Fallback[i].Agent = around(o.Fallback[i].Agent, view.notice)
	}
	stop, summary := t.a.drive(ctx, view, o)
	t.a.summarise(summary)
	return stop
}
