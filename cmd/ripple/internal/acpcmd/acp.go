// Package acpcmd implements `ripple acp`: ripple as an agent for editors.
package acpcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/acp"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// flags are those of ripple acp.
type flags struct {
	adapter, transport string
	turn               bool
}

// New is the command.
func New(a *ui.App, version string) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "acp [--adapter NAME] [--turn] [-- FLAGS OF ripple run]",
		Short: "Serve editors as an agent, over the Agent Client Protocol",
		Long: `Let an editor use ripple as its coding agent, over the Agent Client Protocol
(https://agentclientprotocol.com), version 1. The editor starts this command and exchanges
messages with it on standard input and output; docs/acp.md shows how to set one up.

A prompt starts a loop in the session's directory, like "ripple run" there, with its settings
and the flags after "--". The editor shows the plan, each turn with its tool calls, and the
verification, and asks its user the agent's questions. The next prompt continues the loop, or
answers the agent if it waits for a user; if the work is done, it starts a new loop. The stop
reason that the editor gets says how the loop ended:

  end_turn           the work is done: verified, or claimed if there is no --verify command
  max_turn_requests  a limit was reached, nothing progressed, or verification failed
  refusal            the agent needs a user
  cancelled          the user canceled: after the turn, or immediately if canceled twice

With --turn, a prompt is one turn of the agent, without a loop. If the agent supports the
protocol, too, the editor also answers its requests for permission and provides its MCP servers.
The editor chooses the mode: "ask", the default, passes the requests on to the editor, "allow"
grants them, and the others are the agent's own permission modes.

With --adapter auto, "ripple run" chooses the agent, and with --turn the first installed agent
is used.

The exit code is 0 when the editor closes standard input, 1 if the connection fails, and with
--turn 3 if the agent is not installed and 8 if no user is logged in to it.`,
		Example: `  ripple acp --adapter claude
  ripple acp --adapter codex -- --verify 'make test' --max-cost 5
  ripple acp --turn --adapter gemini`,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) > 0 && at != 0 {
				return ui.UsageError("put flags of ripple run after --", "%s takes no arguments, not %q", cmd.CommandPath(), args[0])
			}
			if f.turn && len(args) > 0 {
				return ui.UsageError("leave one of them out", "--turn cannot be combined with flags of ripple run")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Guarded(func() error { return serve(cmd.Context(), a, version, f, withValues(cmd, args)) })
		},
	}
	cmd.Flags().StringVar(&f.adapter, "adapter", "auto", "the agent: the `NAME` or file of an adapter, or auto")
	a.Trust.Flag(cmd)
	ui.Transport(cmd, &f.transport)
	cmd.Flags().BoolVar(&f.turn, "turn", false, "run one turn of the agent for each prompt, without a loop")
	ui.CompleteFlag(cmd, "adapter", ui.CompleteAgent(a))
	return cmd
}

// claim returns what creates the directory of a loop's files in a project, but not as root in that of another user. One that exists
// needs the user's approval, as in ripple run, unless no run is recorded there and the agent is one of ripple's own that plays a script.
// args are the flags of ripple run.
func claim(a *ui.App, agent string, args []string) func(project string) error {
	return func(project string) error {
		if err := a.RefuseSudo(project); err != nil {
			return err
		}
		if err := a.Trust.CheckLoop(project); err != nil {
			_, noRun := journal.ReadBegan(project)
			if !errors.Is(noRun, journal.ErrNoRun) || !plays(a, agent, args) {
				return err
			}
		}
		return a.Trust.ClaimLoop(project)
	}
}

// plays is [ui.Plays] for the adapter that was named; false for auto, and if flags of ripple run name other agents.
func plays(a *ui.App, agent string, args []string) bool {
	if agent == "auto" || slices.ContainsFunc(args, func(arg string) bool { flag, _, _ := strings.Cut(arg, "="); return isAgents(flag) }) {
		return false
	}
	e, err := a.LookAgent(agent)
	return err == nil && ui.Plays(e)
}

func serve(ctx context.Context, a *ui.App, version string, f flags, args []string) error {
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	o := acp.Options{Version: version, Log: a.Err, Claim: claim(a, f.adapter, args)}
	if by := a.Trust.Origin(); by != nil {
		o.OnlyOwn = fmt.Sprintf("only a user's editor may load this session: ripple acp was started by %s; begin a new session", by)
	}
	if f.turn {
		e, err := a.AgentAdapter(ctx, f.adapter)
		if err != nil {
			return err
		}
		if e, err = turnEntry(ctx, a, e, f.transport); err != nil {
			return err
		}
		o.Agent = e.Adapter
	} else {
		var err error
		if o.LoopCommand, err = loopCommand(f, a.Trust.Given(), args); err != nil {
			return err
		}
	}
	if ui.IsTerminal(a.In) {
		a.Note("waiting for an editor on standard input; to set one up: see docs/acp.md")
	}
	if err := acp.New(o).Serve(ctx, a.In, a.Stdout); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}

// turnEntry is how the turns of --turn are taken: over the protocol where the agent's
// program for it is here, because an agent can ask the editor there; else as usual.
func turnEntry(ctx context.Context, a *ui.App, e *registry.Entry, transport string) (*registry.Entry, error) {
	if transport == "" {
		if chosen, err := ui.WithTransport(e, schema.TransportACP); err == nil && a.Ready(ctx, chosen, launch.Program{}) == nil {
			return chosen, nil
		}
	}
	chosen, err := ui.WithTransport(e, transport)
	if err != nil {
		return nil, err
	}
	return chosen, a.Ready(ctx, chosen, launch.Program{})
}

// loopCommand is ripple run as the server starts it. A person who writes a prompt wants
// the loop to go on: an open circuit is closed. Flags of the command line come last, and
// count.
func loopCommand(f flags, trusting bool, args []string) (func(task string, goOn bool) []string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	command := []string{self, "run", "--json", "--wait-for-answer=always", "--auto-reset-circuit"}
	args = slices.Clone(args)
	if f.adapter != "auto" {
		command = append(command, "--adapter", f.adapter)
	}
	if trusting {
		command = append(command, "--trust")
	}
	if f.transport != "" {
		command = append(command, "--transport", f.transport)
	}
	if err := errors.Join(fromHere(command), fromHere(args)); err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	return func(task string, goOn bool) []string {
		command := slices.Clone(command)
		if task != "" {
			command = append(command, "--prompt-file", task)
		}
		if goOn {
			command = append(command, "--resume")
		}
		return append(command, args...)
	}, nil
}

// fromHere makes the paths of adapter files in flags of ripple run absolute: in a session's directory, files of the
// same names are not those that the user named.
func fromHere(args []string) error {
	for i, arg := range args {
		names := arg
		if i == 0 || !isAgents(args[i-1]) {
			flag, value, joined := strings.Cut(arg, "=")
			if !joined || !isAgents(flag) {
				continue
			}
			names = value
		}
		list := strings.Split(names, ",")
		for n, name := range list {
			if name = strings.TrimSpace(name); !registry.IsPath(name) {
				continue
			}
			var err error
			if list[n], err = filepath.Abs(name); err != nil {
				return err
			}
		}
		args[i] = strings.TrimSuffix(arg, names) + strings.Join(list, ",")
	}
	return nil
}

// isAgents reports whether the value of a flag of ripple run names agents.
func isAgents(flag string) bool { return flag == "--adapter" || flag == "--fallback" }

// withValues returns the flags of ripple run in args in which --worktree NAME is --worktree=NAME,
// likewise for the other flags whose value may be omitted: beside --wait-for-answer=always, ripple
// run could not tell to which flag a NAME of its own belongs.
func withValues(acp *cobra.Command, args []string) []string {
	run, _, err := acp.Root().Find([]string{"run"})
	if err != nil {
		return args // ripple run will report what is wrong with them
	}
	mayOmitValue := func(arg string) bool {
		name, is := strings.CutPrefix(arg, "--")
		f := run.Flags().Lookup(name)
		return is && f != nil && f.NoOptDefVal != "" && f.Value.Type() != "bool"
	}
	var list []string
	for _, arg := range args {
		if last := len(list) - 1; last >= 0 && mayOmitValue(list[last]) && !strings.HasPrefix(arg, "-") {
			list[last] += "=" + arg
			continue
		}
		list = append(list, arg)
	}
	return list
}
