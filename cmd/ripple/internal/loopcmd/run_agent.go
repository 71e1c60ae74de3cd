package loopcmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/event"
	"ripple/runtime/launch"
	"ripple/runtime/loop"
	"ripple/runtime/loop/config"
	"ripple/runtime/registry"
	"ripple/runtime/scenario"
	"ripple/schema"
)

// loopAgent lets the agent of an adapter take the turns of a loop.
type loopAgent struct {
	entry  *registry.Entry
	config *config.Config
	model  string
	mode   string   // permission mode; "": the adapter's
	tools  []string // that are allowed; nil: the mode says which
}

var _ loop.Agent = (*loopAgent)(nil)

// newLoopAgent finds the agent that the configuration asks for.
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
		e, err = a.DetectAgent(ctx, c.Disabled()...)
	default:
		e, err = a.AgentAdapter(ctx, c.Backend)
	}
	if err != nil {
		return nil, err
	}
	if e, err = ui.Way(e, f.transport); err != nil {
		return nil, err
	}
	return &loopAgent{entry: withArgs(e, c.ExtraArgs), config: c.For(e.Name), model: f.model}, nil
}

// knownAdapters resolves the names that ripple.yml has under adapters.
func (a *app) knownAdapters(c *config.Config) error {
	r, err := a.Registry()
	if err != nil {
		return err
	}
	err = c.Resolve(func(name string) (string, error) {
		if name == customName {
			return name, nil
		}
		e, err := r.Find(name)
		if err != nil {
			return "", err
		}
		return e.Name, nil
	})
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "ripple adapter list shows what there is")
	}
	return nil
}

// Turn takes one turn of the loop.
func (g *loopAgent) Turn(ctx context.Context, r loop.Request, emit func(event.Event)) (loop.Outcome, error) {
	t := g.turn(r)
	if more := t; g.tools != nil && len(r.Allowed) > 0 {
		more.AllowedTools = slices.Concat(g.tools, r.Allowed)
		if _, err := agent.NewCommand(g.entry.Adapter, more); err == nil { // else its prompt alone tells of it
			t = more
		}
	}
	out, err := agent.Run(ctx, g.entry.Adapter, t, agent.Options{
		Dir: r.Dir, Env: append([]string{scenario.TurnVariable + "=" + strconv.Itoa(r.Turn)}, r.Env...), Timeout: r.Timeout, IdleTimeout: r.IdleTimeout,
		Used: r.Used, Ask: r.Ask, OnEvent: emit, Sole: true,
	})
	if err != nil {
		return loop.Outcome{}, g.cannotBegin(err)
	}
	return loop.Outcome{
		Failure: out.Failure, SessionID: cmp.Or(out.SessionID, t.NewSessionID, t.SessionID), Text: out.Text, CostUSD: out.Tokens.CostUSD, Used: out.Session,
	}, nil
}

// turn is the agent's turn: what the adapter has no option for goes into the
// prompt, or is left out where nobody asked for it.
func (g *loopAgent) turn(r loop.Request) agent.Turn {
	options := g.entry.Adapter.Agent.Options
	t := agent.Turn{Prompt: r.Prompt, Model: g.model, SessionID: r.SessionID}
	switch {
	case r.Context == "":
	case options.Context != nil:
		t.Context = r.Context
	default:
		t.Prompt += "\n\n" + r.Context
	}
	if options.Resume == nil {
		t.SessionID = ""
	}
	if t.SessionID == "" && options.NewSession != nil {
		t.NewSessionID = newUUID()
	}
	t.PermissionMode, t.AllowedTools = g.mode, g.tools
	return t
}

// cannotBegin says why no turn can begin.
func (g *loopAgent) cannotBegin(err error) error {
	var missing *launch.MissingError
	var unsupported *agent.UnsupportedError
	switch {
	case errors.As(err, &missing):
		return &loop.Stop{Reason: loop.ReasonAgentMissing, Why: err.Error(), Do: "install it, or choose another agent with --adapter; `ripple doctor` lists them"}
	case errors.As(err, &unsupported):
		return &loop.Stop{Reason: loop.ReasonUsage, Why: err.Error(), Do: fmt.Sprintf("`ripple adapter show %s` tells what this agent can do", g.entry.Name)}
	}
	return err
}

// newUUID is a random one (RFC 9562, version 4), as agents want ids of sessions.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// dryRun shows what a run would do.
func (a *app) dryRun(ctx context.Context, g *loopAgent, o loop.Options) error {
	if o.Resume {
		a.Note("--dry-run shows the first turn of a new run, also with --resume")
	}
	prompt, err := loop.FirstPrompt(ctx, o)
	if err != nil {
		return a.stopped(*asStop(err), false)
	}
	if m, own := o.HatAgents[prompt.Hat]; own {
		g = m.Agent.(*loopAgent)
	}
	c, err := agent.NewCommand(g.entry.Adapter, g.turn(prompt))
	if err != nil {
		return ui.TurnError(err)
	}
	path, err := launch.Locate(g.entry.Adapter, launch.OSHost(), "")
	if err != nil {
		path = cmp.Or(g.entry.Adapter.Process.Executable, g.entry.Name)
		a.Note("%s is not installed", path)
	}
	s := a.NewSheet()
	a.Printf("%s\n", g.entry.Adapter.Agent.DisplayName)
	s.Title("Command line")
	words := []string{ui.ShellQuote(path)}
	for _, arg := range c.Args {
		words = append(words, ui.ShellQuote(arg))
	}
	a.Printf("%s\n", strings.Join(words, " "))
	if c.Said != "" {
		s.Title(map[bool]string{false: "Over the Agent Client Protocol", true: "Entered on its screen"}[g.entry.Adapter.Agent.Transport == schema.TransportScreen])
		a.Printf("%s\n", ui.Indent(c.Said))
	}
	if c.Stdin != "" {
		s.Title("Standard input")
		a.Printf("%s\n", ui.Indent(c.Stdin))
	}
	s.Title("Prompt")
	a.Printf("%s\n", ui.Indent(strings.TrimRight(prompt.Prompt, "\n")))
	s.Title("Context")
	a.Printf("%s\n", ui.Indent(prompt.Context))
	s.Title("Settings")
	for _, set := range config.Settings() {
		src := g.config.Source(set.Name)
		from := src.From
		if set.Idle != "" {
			from += " (no effect: " + set.Idle + ")"
		}
		a.Printf("  %-30s %-30s %s\n", set.Name, strings.ReplaceAll(src.Value, "\n", "; "), from)
	}
	return nil
}

func asStop(err error) *loop.Stop {
	if s, is := errors.AsType[*loop.Stop](err); is {
		return s
	}
	return &loop.Stop{Reason: loop.ReasonError, Why: err.Error()}
}
