package main

import (
	"io"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/contract"
	"ripple/runtime/event"
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
