package agentcmd

import (
	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// New is ripple agent with its commands, and those of other families that are about agents.
func New(shared *ui.App, detached detachedStart, others ...*cobra.Command) *cobra.Command {
	a := &app{shared, detached}
	cmd := ui.Group(&cobra.Command{
		Use:   "agent",
		Short: "Run one turn of a coding agent",
		Long: `A coding agent is a program whose adapter has "family: agent": it takes a prompt, works, and
exits. ripple drives all agents in the same way and translates their output into the same
events.`,
	})
	cmd.AddCommand(newAgentRun(a), newAgentMap(a))
	cmd.AddCommand(others...)
	return cmd
}
