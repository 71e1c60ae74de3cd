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
	"time"

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
	var pings []time.Duration
	contenders := []struct {
		name string
		run  func() error
	}{
		{"the session itself", func() error { _, err := s.Eval(ctx, "true"); return err }},
		{"**console, over its socket**", func() error { _, err := c.Exec(ctx, console.ExecRequest{Code: "true"}, io.Discard); return err }},
		{"**console_exec, by MCP**", func() error { return callTool(ctx, model, "true") }},
	}
	times := make([][]time.Duration, len(contenders))
	for range batches {
		for i, one := range contenders {
			for range size {
				began := time.Now()
				if err := one.run(); err != nil {
					return t, fmt.Errorf("%s: %w", one.name, err)
				}
				times[i] = append(times[i], time.Since(began))
			}
		}
		for range size {
			began := time.Now()
			if err := model.Ping(ctx, nil); err != nil {
				return t, fmt.Errorf("ping: %w", err)
			}
			pings = append(pings, time.Since(began))
		}
	}
	peer, err := tmux(batches * size / 10)
	if err != nil {
		return t, err
	}
	base, above := percentile(times[0], 0.5), time.Duration(0)
	for i, one := range contenders {
		p50 := percentile(times[i], 0.5)
		t.rows = append(t.rows, row{one.name, []string{micro(p50), micro(percentile(times[i], 0.99)), ratio(p50, base), over(p50, above)}})
		above = p50
	}
	p50 := percentile(pings, 0.5)
	t.rows = append(t.rows, row{"ping, by MCP", []string{micro(p50), micro(percentile(pings, 0.99)), ratio(p50, base), "–"}})
	const other = "tmux send-keys + wait-for"
	if peer == nil {
		t.rows = append(t.rows, missing(other, 4))
		return t, nil
	}
	p50 = percentile(peer, 0.5)
	t.rows = append(t.rows, row{other, []string{micro(p50), micro(percentile(peer, 0.99)), ratio(p50, base), "–"}})
	return t, nil
}

func over(d, below time.Duration) string {
	if below == 0 {
		return "–"
	}
	return micro(d - below)
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
