// Package agentcmd implements the commands that run a turn of a coding agent, list the
// agents that can be used here, and play a scripted one.
package agentcmd

import (
	"context"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// app is the state that all commands share, with the methods of the agent commands.
type app struct {
	*ui.App
	detached detachedStart
}

// detachedStart starts an agent's own screen as a console and enters a prompt there.
type detachedStart func(ctx context.Context, spec console.Spec, prompt string) error
