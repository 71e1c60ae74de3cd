package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/contract"
	"ripple/runtime/event"
	"ripple/runtime/registry"
	"ripple/schema"
)

func newAgent(a *app) *cobra.Command {
	cmd := ui.Group(&cobra.Command{
		Use:   "agent",
		Short: "Let a coding agent take a turn",
		Long: `A coding agent is a program whose adapter says "family: agent": it takes a prompt,
works, and ends. ripple drives every agent the same way and shows what it does as
one kind of events, whatever the agent's own output looks like.`,
	})
	cmd.AddCommand(newAgentRun(a), newAgentMap(a))
	return cmd
}

// agentTests lets contract tests judge turns.
type agentTests struct{}

var _ contract.Agent = agentTests{}

func (agentTests) Command(a *schema.Adapter, t schema.AgentTurn) ([]string, string, error) {
	c, err := agent.NewCommand(a, agent.TurnOf(t))
	return c.Args, c.Stdin, err
}

func (agentTests) Replay(a *schema.Adapter, output, stderr io.Reader, exitCode int) (events []event.Event, f *event.Failure, err error) {
	out, err := agent.Replay(a, agent.Recording{Output: output, Stderr: stderr, ExitCode: exitCode}, func(e event.Event) { events = append(events, e) })
	return events, out.Failure, err
}

// agents are the adapters of family agent, those that are looked for first.
func (a *app) agents() ([]*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(r.List(), func(e *registry.Entry) bool { return e.Adapter.Family != schema.FamilyAgent })
	slices.SortStableFunc(list, func(x, y *registry.Entry) int { return cmp.Compare(place(x), place(y)) })
	return list, nil
}

// place is where an agent stands in the order of detection; the ones that are
// never chosen unasked come last.
func place(e *registry.Entry) int {
	if p := e.Adapter.Agent.AutoDetect.Priority; p > 0 {
		return p
	}
	return 1 << 20
}

// agentAdapter finds an agent by name; "auto" is the first one that is there.
func (a *app) agentAdapter(ctx context.Context, name string) (*registry.Entry, error) {
	if name == "" || name == "auto" {
		return a.detect(ctx)
	}
	e, err := a.Adapter(name)
	if err != nil {
		return nil, err
	}
	if e.Adapter.Family != schema.FamilyAgent {
		return nil, ui.UsageError("ripple doctor lists the agents", "%s is a %s, not a coding agent", e.Name, e.Adapter.Family)
	}
	return e, nil
}

// detect is the agent with the best place that is installed, answers when asked
// for its version, is not too old and not disabled.
func (a *app) detect(ctx context.Context, disabled ...string) (*registry.Entry, error) {
	list, err := a.agents()
	if err != nil {
		return nil, err
	}
	var looked strings.Builder
	for _, e := range list {
		if e.Adapter.Agent.AutoDetect.Priority == 0 || slices.Contains(disabled, e.Name) {
			continue
		}
		d := a.examine(ctx, e, agent.Options{})
		if d.Usable {
			return e, nil
		}
		fmt.Fprintf(&looked, "%-10s %s\n", e.Name, strings.Join(d.Todo, "; "))
	}
	return nil, ui.FailWith(ui.ExitMissing, errors.New("no coding agent can be used here"),
		"install one of these, or name another with --adapter:\n"+ui.Indent(strings.TrimSuffix(looked.String(), "\n")))
}
