//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// consolePlace is a home with consoles of its own, and the program that hosts them.
type consolePlace struct {
	dir, binary string
	undo        []func()
}

func newConsolePlace() (*consolePlace, error) {
	dir, err := os.MkdirTemp("", "bench") // a short path, because it holds sockets
	if err != nil {
		return nil, err
	}
	p := &consolePlace{dir: dir}
	if p.binary, err = buildRipple(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"XDG_RUNTIME_DIR": run, "XDG_STATE_HOME": filepath.Join(dir, "state"), "HOME": dir} {
		before, had := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
		p.undo = append(p.undo, func() {
			_ = os.Unsetenv(name) // only fails for malformed names
			if had {
				_ = os.Setenv(name, before)
			}
		})
	}
	return p, nil
}

// remove ends all consoles.
func (p *consolePlace) remove() error {
	out, err := exec.Command(p.binary, "console", "close", "--all", "--kill").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	for _, undo := range p.undo {
		undo()
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}

func (p *consolePlace) start(ctx context.Context) (*console.Client, error) {
	c, _, err := console.Start(ctx, []string{p.binary, "console", "host"}, os.Getenv, console.Spec{Adapter: measured.Adapter, Dir: "/"})
	return c, err
}

// consoleExecs measures `true` in a console for several kinds of clients, and in a session. They
// take turns in small batches.
func consoleExecs(a *schema.Adapter, quick bool) (t table, err error) {
	batches, size := 20, 50
	if quick {
		batches = 4
	}
	t = table{
		title: "Consoles: `true` on bash, from call to answer", columns: []string{"p50", "p99", "p50 ratio", "over the row above it"},
		note: "The session runs in the measuring process. A console is a separate process, called over its socket. The MCP " +
			"server is another process, called over its standard streams; a ping shows the time that the protocol's library " +
			"takes at both ends. tmux's send-keys and wait-for are two processes.",
	}
	p, err := newConsolePlace()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	ctx := context.Background()
	s, err := session.Open(ctx, a, session.Options{Env: []string{home}})
	if err != nil {
		return t, err
	}
	defer s.Close(ctx)
	c, err := p.start(ctx)
	if err != nil {
		return t, err
	}
	defer c.Close()
	model, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: exec.Command(p.binary, "mcp")}, nil)
	if err != nil {
		return t, err
	}
	defer model.Close()
	times, err := inTurn([]func() error{
		func() error { _, err := s.Eval(ctx, "true"); return err },
		func() error { _, err := c.Exec(ctx, console.ExecRequest{Code: "true"}, io.Discard); return err },
		func() error { return callTool(ctx, model, "true") },
		func() error { return model.Ping(ctx, nil) },
	}, batches, size)
	if err != nil {
		return t, err
	}
	peer, err := tmux(batches * size / 10)
	if err != nil {
		return t, err
	}
	times = append(times, peer)
	base := percentile(times[0], 0.5)
	for i, name := range []string{"the session itself", "**console, over its socket**", "**console_exec, by MCP**", "ping, by MCP", "tmux send-keys + wait-for"} {
		if times[i] == nil {
			t.rows = append(t.rows, missing(name, 4))
			continue
		}
		p50, over := percentile(times[i], 0.5), "–"
		if i == 1 || i == 2 {
			over = micro(p50 - percentile(times[i-1], 0.5))
		}
		t.rows = append(t.rows, row{name, []string{micro(p50), micro(percentile(times[i], 0.99)), ratio(p50, base), over}})
	}
	return t, nil
}

// callTool runs code through the tool.
func callTool(ctx context.Context, c *sdk.ClientSession, code string) error {
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "console_exec", Arguments: map[string]any{"code": code}})
	if err != nil {
		return err
	}
	if text := r.Content[0].(*sdk.TextContent).Text; r.IsError || !strings.Contains(text, "done exit=0") {
		return errors.New(text)
	}
	return nil
}
