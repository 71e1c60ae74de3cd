package agentcmd

import (
	"github.com/spf13/cobra"

	"example.com/ripple/cmd/ripple/internal/ui"
)

// New is ripple agent with its commands, and those of other families that are about agents.
func New(shared *ui.App, detached Detached, others ...*cobra.Command) *cobra.Command {
	a := &app{shared, detached}
	cmd := ui.Group(&cobra.Command{
		Use:   "agent",
		Short: "Let a coding agent take a turn",
		Long: `A coding agent is a program whose adapter says "family: agent": it takes a prompt,
works, and ends. ripple drives every agent the same way and shows what it does as
one kind of events, whatever the agent's own output looks like.`,
	})
	cmd.AddCommand(newAgentRun(a), newAgentMap(a))
	cmd.AddCommand(others...)
	return cmd
}
