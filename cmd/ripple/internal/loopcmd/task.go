package loopcmd

import (
	"context"
	"maps"
	"slices"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop"
)

// Task is work that another command gives to an agent. What of it is shown goes to
// standard error: standard output is that command's.
type Task struct {
	a       *app
	flags   loopFlags
	options loop.Options
	agent   *loopAgent
}

// NewTask makes one for the agent of that name in a directory, with a model ("": the
// agent's own) and with settings by their flags. Its errors are those that would end the loop
// before the first turn, with their exit codes: a setting that is none, an agent that is not
// there, nobody who is logged in.
func NewTask(ctx context.Context, shared *ui.App, dir, agent, model string, settings map[string]string) (*Task, error) {
	aside := *shared
	aside.Out, aside.Stdout = shared.Err, shared.Err
	t := &Task{a: &app{&aside}, flags: loopFlags{project: dir, model: model}}
	settings = maps.Clone(settings)
	settings["adapter"], settings["wait-for-answer"] = agent, "never" // `ripple answer` would have to be called in dir
	var err error
	if t.options, t.agent, err = t.a.loopOptions(ctx, dir, t.flags, settings); err != nil {
		return nil, err
	}
	return t, t.a.readyAll(ctx, t.agent, t.options)
}

// Agent is the name of the agent's adapter.
func (t *Task) Agent() string { return t.agent.entry.Name }

// Run has the agent work on .ralph/PROMPT.md until the work is done or something else ends
// the loop; it is done when the command verify says so. around gets each agent of the loop and
// gives what takes its turns; tell shows a notice like those of the loop.
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

// ExitCode is what a command ends with whose loop has stopped.
func ExitCode(s *loop.Stop) int { return exitCode(s) }
