package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// AgentAdapter finds an agent by name; "auto" is the first usable one.
func (a *App) AgentAdapter(ctx context.Context, name string) (*registry.Entry, error) {
	if name == "" || name == "auto" {
		return a.DetectAgent(ctx)
	}
	e, err := a.Adapter(name)
	return onlyAgent(e, err)
}

// LookAgent is AgentAdapter without the intent to start it; it does not accept auto.
func (a *App) LookAgent(name string) (*registry.Entry, error) { return onlyAgent(a.Look(name)) }

func onlyAgent(e *registry.Entry, err error) (*registry.Entry, error) {
	if err != nil {
		return nil, err
	}
	if e.Adapter.Family != schema.FamilyAgent {
		return nil, UsageError("to list the agents: ripple doctor", "%s is a %s, not a coding agent", e.Name, e.Adapter.Family)
	}
	return e, nil
}

// WithTransport returns an agent's entry for one transport; "" is the adapter's default.
func WithTransport(e *registry.Entry, transport string) (*registry.Entry, error) {
	a, err := e.Adapter.WithTransport(transport)
	if err != nil {
		return nil, FailWith(ExitUsage, err, "to see what the agent can do: ripple adapter show "+quote.Shell(e.Name))
	}
	entry := *e
	entry.Adapter = a
	return &entry, nil
}

// Transport adds the flags that select a transport.
func Transport(cmd *cobra.Command, to *string) {
	flags := cmd.Flags()
	flags.StringVar(to, "transport", "", "stdio, acp or screen (default: as the adapter specifies)")
	flags.BoolFunc("screen", "use the agent's own screen, like --transport screen", func(value string) error {
		on, err := strconv.ParseBool(value)
		if on {
			*to = schema.TransportScreen
		}
		return err
	})
	cmd.MarkFlagsMutuallyExclusive("transport", "screen")
	Choices(cmd, "transport", schema.TransportStdio, schema.TransportACP, schema.TransportScreen)
}

// DetectAgent returns the preferred agent that is installed, reports its version, is recent enough
// and not disabled.
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
		found := a.Examiner.Look(ctx, e.Adapter, launch.Program{Dir: NeutralDir()})
		if found.Usable {
			a.Trust.reportProject(e)
			return e, nil
		}
		fmt.Fprintf(&looked, "%-10s %s\n", e.Name, strings.Join(found.Todo, "; "))
	}
	return nil, FailWith(ExitMissing, errors.New("no coding agent can be used here"),
		"install one of these, or name another with --adapter:\n"+Indent(strings.TrimSuffix(looked.String(), "\n"))+
			"\nto try ripple without an agent and an account: --adapter rehearsal")
}

// NeutralDir returns the directory in which programs are asked for their version and login, and probed: the user's home,
// if it exists. In the current directory, a program might run what a project's settings name, such as a script that
// prints a key.
func NeutralDir() string {
	home, err := owner.Home(os.Getenv)
	if err != nil {
		return "/"
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return "/"
	}
	return home
}

// Examine checks a program as it will be started, except that it runs in NeutralDir, and whether a user is logged in.
func (a *App) Examine(ctx context.Context, e *registry.Entry, p launch.Program) launch.Examination {
	p.Dir = NeutralDir()
	return a.Examiner.Examine(ctx, e.Adapter, p)
}

// Ready returns an error before the first turn if every turn would fail: the program is missing or
// too old, or no user is logged in. An unknown version is accepted.
func (a *App) Ready(ctx context.Context, e *registry.Entry, p launch.Program) error {
	d := a.Examine(ctx, e, p)
	if ctx.Err() != nil {
		return ExitWith(ExitInterrupted)
	}
	todo := strings.Join(d.Todo, "\n")
	switch {
	case d.Executable == "":
		_, err := a.Examiner.Locate(e.Adapter, p.Executable)
		return FailWith(ExitMissing, err, "or choose another agent; to list the agents: ripple doctor")
	case d.TooOld():
		return FailWith(ExitMissing, fmt.Errorf("%s is too old", e.Adapter.Agent.DisplayName), todo)
	case d.Login == launch.LoggedOut:
		return FailWith(ExitBlocked, fmt.Errorf("not logged in to %s", e.Adapter.Agent.DisplayName), todo)
	}
	return nil
}

// Plays reports whether an agent only plays a script of ripple's, or of the user's: such an agent
// ignores its task.
func Plays(e *registry.Entry) bool {
	return e.Origin == registry.OriginEmbedded && e.Adapter.Process.Executable == "{self}"
}
