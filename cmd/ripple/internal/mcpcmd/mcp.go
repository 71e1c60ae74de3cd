// Package mcpcmd is `ripple mcp`: consoles for AI clients.
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

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/console/place"
	"ripple/runtime/mcp"
	"ripple/runtime/sandbox"
)

// New is the command.
func New(a *ui.App, version string) *cobra.Command {
	var o mcp.Options
	var address string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer consoles to AI clients by the Model Context Protocol",
		Long: `Serve consoles to an AI client that speaks the Model Context Protocol: on standard
input and output, or over HTTP on this machine. "ripple mcp config CLIENT" prints what
to tell a client.

The consoles are those of "ripple console": they live on when the client or this server
ends, and people can use them at the same time. What may be run is for the client to ask its
user; ripple has no list of forbidden commands. --read-only, --adapters and --cwd narrow what
the server offers.

Over HTTP every request needs the token that is printed at the start, or RIPPLE_MCP_TOKEN.`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, _, stop := ui.UntilSignal(cmd.Context(), true)
			defer stop()
			return serve(ctx, a, version, o, address)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "http", "", "serve HTTP on this `ADDRESS` of the machine itself, like 127.0.0.1:8720")
	flags.BoolVar(&o.ReadOnly, "read-only", false, "offer only the tools that look: wait, peek, read, list")
	flags.StringSliceVar(&o.Adapters, "adapters", nil, "use consoles of these adapters only, separated by commas")
	ui.CompleteFlag(cmd, "adapters", ui.CompletePrograms(a))
	flags.StringVar(&o.Dir, "cwd", "", "start consoles in this `DIRECTORY` or below it, and nowhere else")
	flags.BoolVar(&o.Sandbox, "sandbox", false, "consoles write only below --cwd, and the kernel sees to it (Linux, Landlock); no other consoles are used")
	cmd.AddCommand(newConfig(a, version))
	return cmd
}

func serve(ctx context.Context, a *ui.App, version string, o mcp.Options, address string) error {
	self, err := os.Executable()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	for _, name := range o.Adapters { // said here, not at the first use
		if _, err := a.Adapter(name); err != nil {
			return err
		}
	}
	o.NameOf = func(name string) string {
		if entry, err := a.Adapter(name); err == nil {
			return entry.Name
		}
		return name // starting it says what is wrong with it
	}
	o.Version, o.Adapter, o.Host, o.Getenv, o.Confined = version, place.DefaultAdapter(), []string{self, "console", "host"}, a.Getenv, o.Dir != ""
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return ui.UsageError("", "--cwd %s is no directory", o.Dir)
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
	s := mcp.New(o)
	if address != "" {
		return serveHTTP(ctx, a, s, address)
	}
	if ui.IsTerminal(a.In) {
		a.Note("waiting for a client on standard input; ripple mcp config CLIENT prints how to set one up")
	}
	if err := s.ServeStdio(ctx, io.NopCloser(a.In), kept{a.Out}); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}

// garbage is what may be allocated between two collections, in percent of what is in use.
// The protocol's library takes 64 kB for each value that it decodes, half a megabyte a
// call: with Go's own 100 every tenth call is interrupted for a collection.
const garbage = 400

// kept is a stream that outlives its users.
type kept struct{ io.Writer }

func (kept) Close() error { return nil }

func serveHTTP(ctx context.Context, a *ui.App, s *mcp.Server, address string) error {
	l, err := mcp.Listen(address)
	if err != nil {
		return ui.UsageError("", "--http: %w", err)
	}
	token := a.Getenv("RIPPLE_MCP_TOKEN")
	if token == "" {
		token = rand.Text()
		a.Note("the token is %s", token)
	}
	a.Note("serving on http://%s", l.Addr())
	server := &http.Server{Handler: s.Handler(token), ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close() // whoever is connected is told by that
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}
