// Package mcpcmd implements `ripple mcp`: consoles for AI clients.
package mcpcmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/mcp"
	"example.org/ripple/runtime/sandbox"
)

// New returns the command.
func New(a *ui.App, version string) *cobra.Command {
	var o mcp.Options
	var address string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve consoles to AI clients, over the Model Context Protocol",
		Long: `Serve consoles to an AI client, such as an editor or a chat program, that supports the Model
Context Protocol: on standard input and output or, with --http, over HTTP on this machine.
Clients start this command themselves; "ripple mcp config CLIENT" prints the configuration that
a client needs for it.

The client gets tools to start a console (a program that keeps running, such as a shell, a REPL
or a debugger), to run code in it, to type into it, to read its output and screen, and to close
it. They are the consoles of "ripple console": they keep running when the client or this server
ends, and users can use them at the same time.

A client can run any command with your permissions: ripple does not filter commands, so the
client must ask its user first. To restrict it:

  --read-only  offers only the tools that wait for, show, read and list consoles
  --adapters   limits the programs to these adapters, as their files are when the server starts;
               a shell can start any other program
  --cwd        limits the directories in which consoles start, not what their programs access
  --sandbox    lets programs, and all processes that they start, write files only below --cwd
               and in a temporary directory; the kernel enforces it (Linux, Landlock). Reading
               files and the network stay allowed. Consoles without a sandbox are not used

Over HTTP every request needs a token: RIPPLE_MCP_TOKEN, or a random one that is printed on
standard error at the start.

The exit code is 0 when the client closes standard input or the server is interrupted, 1 if the
connection fails, 2 for wrong usage, and 3 if the kernel does not support --sandbox.`,
		Example: "  ripple mcp --cwd . --sandbox\n  ripple mcp --read-only\n  ripple mcp --http 127.0.0.1:8720 --adapters python,psql",
		Args:    ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, _, stop := ui.UntilSignal(cmd.Context(), true)
			defer stop()
			return serve(ctx, a, version, o, address)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "http", "", "serve HTTP on this loopback `ADDRESS`, like 127.0.0.1:8720")
	flags.BoolVar(&o.ReadOnly, "read-only", false, "offer only the tools that read: wait, peek, read, list")
	flags.StringSliceVar(&o.Adapters, "adapters", nil, "use only consoles of these adapters, separated by commas")
	ui.CompleteFlag(cmd, "adapters", ui.CompletePrograms(a))
	flags.StringVar(&o.Dir, "cwd", "", "start consoles only in this `DIRECTORY` or below it")
	flags.BoolVar(&o.Sandbox, "sandbox", false, "use only consoles that can write only below --cwd (Linux)")
	a.Trust.Flag(cmd)
	cmd.AddCommand(newConfig(a, version))
	return cmd
}

func serve(ctx context.Context, a *ui.App, version string, o mcp.Options, address string) error {
	self, err := os.Executable()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	o.Resolve = func(name string) (mcp.Program, error) {
		entry, err := a.Adapter(name)
		if err != nil {
			return mcp.Program{}, err
		}
		sealed, err := entry.Encode()
		return mcp.Program{Name: entry.Name, Origin: entry.Source(), Encoded: sealed}, err
	}
	o.Version, o.Adapter, o.HostCommand, o.Getenv, o.Confined = version, place.DefaultAdapter(), []string{self, "console", "host"}, a.Getenv, o.Dir != ""
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return ui.UsageError("", "--cwd %s is not a directory", o.Dir)
	}
	if o.Sandbox {
		e, err := sandbox.Check(o.Dir)
		if err != nil {
			return ui.FailWith(ui.ExitMissing, fmt.Errorf("--sandbox: %w", err), "")
		}
		a.Note("%s", e)
	}
	if a.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	for _, name := range o.Adapters { // checked here, not at the first use
		if _, err := a.Adapter(name); err != nil {
			return err
		}
	}
	a.Trust.NeverAsk()
	s := mcp.New(o)
	if address != "" {
		return serveHTTP(ctx, a, s, address)
	}
	if ui.IsTerminal(a.In) {
		a.Note("waiting for a client on standard input; to set one up: ripple mcp config CLIENT")
	}
	if err := s.ServeStdio(ctx, io.NopCloser(a.In), kept{a.Out}); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}

// garbage is the GOGC percentage. The protocol's library allocates 64 kB for each value that it
// decodes, half a megabyte per call: with Go's default of 100, every tenth call is interrupted by a
// collection.
const garbage = 400

// kept is a stream that is not closed with its users.
type kept struct{ io.Writer }

func (kept) Close() error { return nil }

// tokenVariable is the environment variable with the token of an HTTP server.
const tokenVariable = "RIPPLE_MCP_TOKEN"

func serveHTTP(ctx context.Context, a *ui.App, s *mcp.Server, address string) error {
	l, err := mcp.Listen(address)
	if err != nil {
		return ui.UsageError("", "--http: %w", err)
	}
	token := a.Getenv(tokenVariable)
	if err := os.Unsetenv(tokenVariable); err != nil { // otherwise every program of a console inherits it
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if token == "" {
		token = rand.Text()
		a.Note("the token is %s", token)
	}
	a.Note("serving on http://%s", l.Addr())
	server := &http.Server{Handler: s.Handler(token), ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close() // closing disconnects the clients
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}
