package agentcmd

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// agentDetached leaves a prompt to an agent on its own screen, which is a console.
func (a *app) agentDetached(ctx context.Context, args []string, f runFlags) error {
	e, c, err := a.prepared(ctx, args, &f)
	if err != nil {
		return err
	}
	g := e.Adapter.Agent
	if g.Transport != schema.TransportScreen {
		return ui.UsageError("add --screen", "--detach needs a turn on the agent's own screen")
	}
	if c.ToolsFile != "" {
		return ui.UsageError("", "--allowed-tools cannot be combined with --detach for %s, which reads the tools from a file that is removed after the turn", g.DisplayName)
	}
	if err := a.Ready(ctx, e, launch.Program{Executable: f.options.Executable, Env: f.options.Env}); err != nil {
		return err
	}
	dir, err := filepath.Abs(f.options.Dir)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	spec := console.Spec{
		Adapter: f.adapter, Dir: dir, Executable: f.options.Executable,
		Args:   c.Args[len(g.Args):], // the console adds those of the screen
		Origin: e.Source(),
	}
	if spec.Sealed, err = e.Encode(); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if f.adapter == "" || f.adapter == "auto" {
		spec.Adapter = e.Name
	}
	for _, key := range slices.Sorted(maps.Keys(c.Env)) {
		spec.Env = append(spec.Env, key+"="+c.Env[key])
	}
	spec.Env = append(spec.Env, f.options.Env...)
	return a.detached(ctx, spec, strings.TrimSpace(c.Message))
}
