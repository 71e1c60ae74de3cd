// Package mcp offers consoles to AI clients by the Model Context Protocol
// (https://modelcontextprotocol.io): eight tools whose results are text.
//
// The main path is New, then ServeStdio or a Handler for HTTP. A server holds no
// session of its own: consoles live in processes of their own, so that the next
// server finds what this one has begun.
package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ripple/runtime/console"
)

// Options are what a server may do.
type Options struct {
	Version string
	Adapter string              // of a console that is made without one
	Host    []string            // the command line of a console's host: see console.Start
	Getenv  func(string) string // where consoles are found
	Dir     string              // where consoles start; a tool may name a directory below it
	NameOf  func(string) string // an adapter's own name by one of its names or its file; nil: as it is

	ReadOnly bool     // only the tools that change nothing
	Adapters []string // the only ones that may be used; nil: all
	Sandbox  bool     // consoles write below Dir only, and no others are used
	Confined bool     // consoles start in Dir or below it, nowhere else
}

// Server is what clients talk to.
type Server struct {
	o             Options
	sdk           *sdk.Server
	progressEvery time.Duration
	news          *news
}

const instructions = `Consoles are live sessions of shells, REPLs and debuggers: a directory, variables and running programs stay from one call to the next, also when this server is restarted. console_exec runs code in the console "main" or in the one you name. A wait that is over ends nothing: the command goes on, and console_wait waits on. When a command waits for input, answer it with console_send. Long output is shown in part; console_read shows the rest.`

// New is a server with its tools.
func New(o Options) *Server {
	s := &Server{o: o, progressEvery: progressEvery, news: &news{getenv: o.Getenv, known: map[string]string{}}}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "ripple", Title: "ripple consoles", Version: o.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	s.sdk.AddReceivingMiddleware(withoutNulls)
	s.addTools()
	return s
}

// open is a console by its name.
func (s *Server) open(name string) (*console.Client, error) {
	return console.Find(s.o.Getenv, name)
}

// openOrStart is the console of that name; a missing one is started. Whether it may be
// used is known without asking it.
func (s *Server) openOrStart(ctx context.Context, name, adapter string) (*console.Client, error) {
	c, err := console.Open(s.o.Getenv, name)
	if err != nil {
		c, _, err = s.start(ctx, console.Spec{Name: name, Adapter: adapter}, true)
		return c, err
	}
	return own(c, s.allows(c.Noted, adapter))
}

// ended adds to a fault what a console whose program has ended, or whose host was killed,
// still has: a new one would wipe what this one printed.
func (s *Server) ended(c *console.Client, err error) error {
	f, ok := asFault(err)
	if !ok || f.Code != console.FaultExited || f.Status == nil { // it was closed: nothing is left
		return err
	}
	why := f.Status.Exit
	if f.Status.State == console.Dead {
		f.Status = nil // what it last was says nothing of the program now
	} else {
		why = "the program has ended: " + why
	}
	f.Message = c.Name + ": " + why + "; console_read shows what its commands printed, console_close removes it"
	return err
}

// own is a console, or why it may not be used.
func own(c *console.Client, err error) (*console.Client, error) {
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// openOwn is a console that this server may change.
func (s *Server) openOwn(ctx context.Context, name string) (*console.Client, error) {
	c, err := s.open(name)
	if err != nil {
		return nil, err
	}
	status, err := c.Status(ctx)
	if err != nil {
		return c, nil // it does not answer: it can be closed
	}
	return own(c, s.allows(status, ""))
}

// allows refuses a console with another program than the options allow, or than was
// asked for, if one was.
func (s *Server) allows(status console.Status, adapter string) error {
	if adapter != "" && s.nameOf(adapter) != status.Adapter {
		return fmt.Errorf("%s runs %s, not %s: name another console", status.Name, status.Adapter, adapter)
	}
	if s.o.Sandbox && (status.Sandbox == nil || status.Sandbox.Dir != s.o.Dir) {
		return fmt.Errorf("this server uses consoles whose sandbox is %s, and %s is no such console", s.o.Dir, status.Name)
	}
	return s.allowed(status.Adapter)
}

func (s *Server) allowed(adapter string) error {
	for _, a := range s.o.Adapters {
		if s.nameOf(a) == s.nameOf(adapter) {
			return nil
		}
	}
	if s.o.Adapters == nil {
		return nil
	}
	return fmt.Errorf("this server may use %s, and not %s", strings.Join(s.o.Adapters, ", "), adapter)
}

func (s *Server) nameOf(adapter string) string {
	if s.o.NameOf == nil {
		return adapter
	}
	return s.o.NameOf(adapter)
}

// start starts a console, within what the options allow.
func (s *Server) start(ctx context.Context, spec console.Spec, reuse bool) (*console.Client, console.Status, error) {
	asked := spec.Adapter
	if spec.Adapter == "" {
		spec.Adapter = s.o.Adapter
	}
	if err := s.allowed(spec.Adapter); err != nil {
		return nil, console.Status{}, err
	}
	dir, err := s.dir(spec.Dir)
	if err != nil {
		return nil, console.Status{}, err
	}
	spec.Dir, spec.IdleEnd = dir, idleEnd
	if s.o.Sandbox {
		spec.Sandbox = s.o.Dir
	}
	c, status, err := console.Start(ctx, s.o.Host, s.o.Getenv, spec)
	if f, ok := asFault(err); ok && f.Code == console.FaultTaken && reuse {
		if c, err = console.Open(s.o.Getenv, spec.Name); err == nil {
			status, err = c.Status(ctx)
		}
		if err == nil {
			c, err = own(c, s.allows(status, asked))
		}
	}
	if err == nil {
		s.news.used(status)
	}
	return c, status, err
}

// dir is where a console starts.
func (s *Server) dir(wanted string) (string, error) {
	dir := s.o.Dir
	switch {
	case wanted == "":
		return dir, nil
	case filepath.IsAbs(wanted):
		dir = filepath.Clean(wanted)
	default:
		dir = filepath.Join(dir, wanted)
	}
	if !s.o.Confined {
		return dir, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	base, err := filepath.EvalSymlinks(s.o.Dir)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(base, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("this server starts consoles in %s and below, not in %s", s.o.Dir, dir)
	}
	return real, nil
}
