package loopcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/agentloop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// loopAgent takes the turns of a loop according to its settings.
type loopAgent struct {
	*agentloop.Agent
	entry  *registry.Entry
	config *config.Config
}

var _ loop.Agent = (*loopAgent)(nil)

// newLoopAgent finds the configured agent.
func (a *app) newLoopAgent(ctx context.Context, c *config.Config, f loopFlags) (*loopAgent, error) {
	if err := a.knownAdapters(c); err != nil {
		return nil, err
	}
	var e *registry.Entry
	var err error
	switch c.Backend {
	case customName:
		if c.Command == "" {
			return nil, ui.UsageError("write cli: {backend: custom, command: my-agent} into it", "custom is the agent of ripple.yml, and ripple.yml has no cli.command")
		}
		e = customAgent(c)
	case "", "auto":
		if f.agent != "" {
			e, err = a.AgentAdapter(ctx, f.agent)
			break
		}
		e, err = a.DetectAgent(ctx, c.Disabled()...)
	default:
		e, err = a.AgentAdapter(ctx, c.Backend)
	}
	if err != nil {
		return nil, err
	}
	if e, err = ui.WithTransport(e, f.transport); err != nil {
		return nil, err
	}
	e = withArgs(e, c.ExtraArgs)
	return &loopAgent{Agent: &agentloop.Agent{Adapter: e.Adapter, Model: f.model}, entry: e, config: c.For(e.Name)}, nil
}

// knownAdapters resolves the adapter names in ripple.yml.
func (a *app) knownAdapters(c *config.Config) error {
	r, err := a.Registry()
	if err != nil {
		return err
	}
	err = c.Resolve(func(name string) (string, error) {
		if name == customName {
			return name, nil
		}
		if registry.IsPath(name) {
			return "", errors.New("it is a path; give the name of an adapter")
		}
		e, err := r.Inspect(name) // not used here
		if err != nil {
			return "", err
		}
		return e.Name, nil
	})
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "to list the adapters: ripple adapter list")
	}
	return nil
}

// Turn takes one turn of the loop. If a turn cannot start, the stop has the command that fixes
// it.
func (g *loopAgent) Turn(ctx context.Context, r loop.Request, emit func(event.Event)) (loop.Outcome, error) {
	out, err := g.Agent.Turn(ctx, r, emit)
	if stop, is := errors.AsType[*loop.Stop](err); is {
		switch stop.Reason {
		case loop.ReasonAgentMissing:
			stop.Fix = "install it, or choose another agent with --adapter; to list the agents: `ripple doctor`"
		case loop.ReasonUsage:
			stop.Fix = fmt.Sprintf("to see the features of this agent: `ripple adapter show %s`", g.entry.Name)
		}
	}
	return out, err
}

// dryRun prints the actions of a run.
func (a *app) dryRun(ctx context.Context, g *loopAgent, o loop.Options) error {
	who, prompt, resumed, err := loop.NextTurn(ctx, o)
	switch {
	case err != nil:
		stop := asStop(err)
		if !stop.Done() || prompt.Turn == 0 {
			return a.stopped(*stop, false)
		}
		a.Note("the loop would take no turn: %s", stop.Message)
	case resumed:
		a.Note("--dry-run shows turn %d of the recorded run", prompt.Turn)
	case o.Resume:
		a.Note("no run is recorded in %s: --dry-run shows the first turn of a new run", layout.Dir)
	}
	if of, is := who.Agent.(*loopAgent); is {
		g = of
	}
	c, err := g.Command(prompt)
	if err != nil {
		return ui.TurnError(err)
	}
	path, err := launch.Locate(g.entry.Adapter, launch.OSHost(), "")
	if err != nil {
		path = cmp.Or(g.entry.Adapter.Process.Executable, g.entry.Name)
		a.Note("%s is not installed", path)
	}
	s := a.NewSheet()
	s.Text(g.entry.Adapter.Agent.DisplayName)
	s.Title("Command line")
	words := []string{quote.Shell(path)}
	for _, arg := range c.Args {
		words = append(words, quote.Shell(arg))
	}
	s.Text(strings.Join(words, " "))
	if c.Message != "" {
		s.Title(map[bool]string{false: "Over the Agent Client Protocol", true: "Entered on its screen"}[g.entry.Adapter.Agent.Transport == schema.TransportScreen])
		s.Text(ui.Indent(c.Message))
	}
	if c.Stdin != "" {
		s.Title("Standard input")
		s.Text(ui.Indent(c.Stdin))
	}
	s.Title("Prompt")
	s.Text(ui.Indent(strings.TrimRight(prompt.Prompt, "\n")))
	s.Title("Context")
	s.Text(ui.Indent(prompt.Context))
	s.Title("Settings")
	for _, set := range config.Settings() {
		src := g.config.Source(set.Name)
		from := src.From
		if set.Idle != "" {
			from += " (no effect: " + set.Idle + ")"
		}
		value, _ := g.config.Shown(set.Name)
		s.Text(fmt.Sprintf("  %-30s %-30s %s", set.Name, strings.ReplaceAll(value, "\n", "; "), from))
	}
	return nil
}

func asStop(err error) *loop.Stop {
	if s, is := errors.AsType[*loop.Stop](err); is {
		return s
	}
	return &loop.Stop{Reason: loop.ReasonError, Message: err.Error()}
}
