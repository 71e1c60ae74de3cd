package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ripple/runtime/checkup"
	"ripple/runtime/launch"
	"ripple/runtime/registry"
	"ripple/schema"
)

// AgentAdapter finds an agent by name; "auto" is the first one that is there.
func (a *App) AgentAdapter(ctx context.Context, name string) (*registry.Entry, error) {
	if name == "" || name == "auto" {
		return a.DetectAgent(ctx)
	}
	e, err := a.Adapter(name)
	if err != nil {
		return nil, err
	}
	if e.Adapter.Family != schema.FamilyAgent {
		return nil, UsageError("ripple doctor lists the agents", "%s is a %s, not a coding agent", e.Name, e.Adapter.Family)
	}
	return e, nil
}

// Way is an agent's entry as it is for one transport of its turns; "" is the adapter's
// own choice.
func Way(e *registry.Entry, transport string) (*registry.Entry, error) {
	a, err := e.Adapter.Way(transport)
	if err != nil {
		return nil, FailWith(ExitUsage, err, "ripple adapter show "+ShellQuote(e.Name)+" tells what the agent can do")
	}
	entry := *e
	entry.Adapter = a
	return &entry, nil
}

// Transport adds the flags that choose how turns are taken.
func Transport(cmd *cobra.Command, to *string) {
	flags := cmd.Flags()
	flags.StringVar(to, "transport", "", "how turns are taken: `stdio`, acp (the Agent Client Protocol) or screen (default: as the adapter has it)")
	flags.BoolFunc("screen", "take turns on the agent's own screen, as --transport screen", func(value string) error {
		on, err := strconv.ParseBool(value)
		if on {
			*to = schema.TransportScreen
		}
		return err
	})
	cmd.MarkFlagsMutuallyExclusive("transport", "screen")
}

// DetectAgent is the agent with the best place that is installed, answers when asked
// for its version, is not too old and not disabled.
func (a *App) DetectAgent(ctx context.Context, disabled ...string) (*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	var looked strings.Builder
	for _, e := range r.Agents() {
		if e.Adapter.Agent.AutoDetect.Priority == 0 || slices.Contains(disabled, e.Name) {
			continue
		}
		found := a.examiner.Look(ctx, e.Adapter, checkup.Program{})
		if found.Usable {
			return e, nil
		}
		fmt.Fprintf(&looked, "%-10s %s\n", e.Name, strings.Join(found.Todo, "; "))
	}
	return nil, FailWith(ExitMissing, errors.New("no coding agent can be used here"),
		"install one of these, or name another with --adapter:\n"+Indent(strings.TrimSuffix(looked.String(), "\n")))
}

// Examine looks at a program as it will be started, and at who is logged in.
func (a *App) Examine(ctx context.Context, e *registry.Entry, p checkup.Program) checkup.Report {
	return a.examiner.Examine(ctx, e.Adapter, p)
}

// Ready says before the first turn what every turn would fail of: the program is
// missing or too old, or nobody is logged in. A version that is not told is none.
func (a *App) Ready(ctx context.Context, e *registry.Entry, p checkup.Program) error {
	d := a.Examine(ctx, e, p)
	if ctx.Err() != nil {
		return ExitWith(ExitInterrupted)
	}
	todo := strings.Join(d.Todo, "\n")
	switch {
	case d.Executable == "":
		_, err := launch.Locate(e.Adapter, launch.OSHost(), p.Executable)
		return FailWith(ExitMissing, err, "or choose another agent: ripple doctor lists them")
	case d.TooOld():
		return FailWith(ExitMissing, fmt.Errorf("%s is too old", e.Adapter.Agent.DisplayName), todo)
	case d.Login == checkup.LoggedOut:
		return FailWith(ExitBlocked, fmt.Errorf("nobody is logged in to %s", e.Adapter.Agent.DisplayName), todo)
	}
	return nil
}
