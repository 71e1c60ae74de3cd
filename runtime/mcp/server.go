// Package mcp offers consoles to AI clients through the Model Context Protocol
// (https://modelcontextprotocol.io): eight tools whose results are text.
//
// Call New, then ServeStdio or Handler for HTTP. A server holds no sessions of its own: consoles
// are processes of their own, so a later server finds the consoles that this one started.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// Options configure a server.
type Options struct {
	Version     string
	Adapter     string              // adapter of consoles started without one
	HostCommand []string            // command line of a console's host: see console.Start
	Getenv      func(string) string // environment that locates the consoles
	Dir         string              // directory in which consoles start; a tool may name one below it
	// Resolve finds an adapter by one of its names or its file; nil: the host finds it. It gets a path
	// only from Adapter and Adapters, never from a client.
	Resolve func(string) (Program, error)

	ReadOnly bool     // offer only the tools that change nothing
	Adapters []string // allowed adapters, by their names or files; nil: all by name
	Sandbox  bool     // consoles write only below Dir, and other consoles are not used
	Confined bool     // consoles start only in Dir or below it
}

// Program is a resolved adapter.
type Program struct {
	Name    string // its canonical name
	Origin  string // origin, as in console.Status
	Encoded []byte // encoded adapter, as in console.Spec
}

// Server serves consoles to clients.
type Server struct {
	o             Options
	sdk           *sdk.Server
	progressEvery time.Duration
	pinned        []Program // programs of Options.Adapters
	unusable      []error   // why they could not be loaded
	consoles      *console.ClientCache
	news          *news
	turns         *turns
	told          *seenOutput
}

// usualConsole is the name of the default console.
const usualConsole = "main"

const instructions = `Consoles are live sessions of shells, REPLs and debuggers: the directory, variables and running programs persist between calls, even if this server is restarted. console_exec runs code in the console "main" or in the one you name. The end of a wait does not end the command: it continues, and console_wait keeps waiting. When a command waits for input, answer it with console_send. Long output is shown in part; console_read shows the rest.`

// New returns a server with its tools. The allowed adapters are resolved now: an adapter that takes
// one of their names later is not used.
func New(o Options) *Server {
	consoles := console.NewClientCache(o.Getenv)
	s := &Server{
		o: o, progressEvery: progressEvery, consoles: consoles, turns: newTurns(), told: &seenOutput{of: map[place]position{}},
		news: &news{consoles: consoles, known: map[string]string{}},
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "ripple", Title: "ripple consoles", Version: o.Version},
		&sdk.ServerOptions{
			Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			InitializedHandler: func(_ context.Context, r *sdk.InitializedRequest) { go s.told.forgetAfter(r.Session) },
		})
	s.turns.unnamed = s.unnamed
	calls := &callLimit{turns: s.turns, of: map[sdk.Session]*clientCalls{}}
	s.sdk.AddReceivingMiddleware(calls.wait, withoutNulls)
	s.addTools()
	for _, name := range o.Adapters {
		p, err := s.find(name)
		if err != nil { // never matches a program
			p = Program{}
		}
		s.pinned, s.unusable = append(s.pinned, p), append(s.unusable, err)
	}
	return s
}

// openOrOnly is open, without a name for the console that unnamed returns.
func (s *Server) openOrOnly(name string) (*console.Client, error) {
	if name == "" {
		name = cmp.Or(s.unnamed(), usualConsole)
	}
	return s.open(name)
}

// unnamed returns the console that a call without a name means: the default one, or the only one if the default one does not exist. It
// returns "" if there is neither, and asks no host.
func (s *Server) unnamed() string {
	if c, err := s.open(usualConsole); err == nil {
		c.Close()
		return usualConsole
	}
	all, err := console.Recorded(s.o.Getenv)
	all = slices.DeleteFunc(all, func(status console.Status) bool { return s.allows(status, "") != nil })
	if err != nil || len(all) != 1 {
		return ""
	}
	return all[0].Name
}

// open returns the client of a console by name. Its adapter and sandbox never change.
func (s *Server) open(name string) (*console.Client, error) {
	c, err := s.consoles.Find(name)
	if err != nil {
		return nil, s.hidden(err)
	}
	return own(c, s.allows(c.RecordedStatus, ""))
}

// hidden removes the names of disallowed consoles from an error.
func (s *Server) hidden(err error) error {
	if f, ok := asFault(err); ok && f.Code == console.FaultUnknown && (s.o.Adapters != nil || s.o.Sandbox) {
		return errors.New("this server may not use a console of that name; to list those that it may use: console_list")
	}
	return err
}

// listed returns the status of every console that this server may use.
func (s *Server) listed(ctx context.Context) ([]console.Status, error) {
	all, err := console.List(ctx, s.o.Getenv)
	return slices.DeleteFunc(all, func(status console.Status) bool { return s.allows(status, "") != nil }), err
}

// openOrStart returns the console with a name and starts it if it does not exist. Whether it is
// allowed is checked without contacting its host.
func (s *Server) openOrStart(ctx context.Context, name, adapter string) (*console.Client, error) {
	c, err := s.consoles.Open(name)
	if err != nil {
		c, _, err = s.start(ctx, console.Spec{Name: name, Adapter: adapter}, true)
		return c, err
	}
	return own(c, s.allows(c.RecordedStatus, adapter))
}

// ended adds a hint to the fault of a console whose program has ended or whose host was killed,
// because a new console of that name would remove the recorded output.
func (s *Server) ended(c *console.Client, err error) error {
	f, ok := asFault(err)
	if !ok || f.Code != console.FaultExited || f.Status == nil { // it was closed: nothing is left
		return err
	}
	why := f.Status.Exit
	if f.Status.State == console.Dead {
		f.Status = nil // the last known state does not describe the program now
	}
	f.Message = c.Name + ": " + why + "; to read the output of its commands: console_read; to remove it: console_close"
	return err
}

// own passes on a client, or the reason why the console may not be used.
func own(c *console.Client, err error) (*console.Client, error) {
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// allows returns an error if a console runs another program than the options allow, or than the one
// that was asked for, if any.
func (s *Server) allows(status console.Status, adapter string) error {
	if adapter != "" {
		p, err := s.resolve(adapter)
		if err != nil {
			return err
		}
		if p.Name != status.Adapter || p.Origin != "" && p.Origin != status.Origin {
			return fmt.Errorf("%s runs %s, not %s: name another console", status.Name, adapterLabel(status.Adapter, status.Origin), adapterLabel(adapter, p.Origin))
		}
	}
	if s.o.Sandbox && (status.Sandbox == nil || status.Sandbox.Dir != s.o.Dir) {
		return fmt.Errorf("console %s is not in the sandbox of this server, %s: start another console with console_start", status.Name, s.o.Dir)
	}
	p, err := s.allowed(Program{Name: status.Adapter, Origin: status.Origin})
	if err == nil && s.o.Adapters != nil && p.Origin != "" && schema.Digest(p.Encoded) != status.Digest {
		return fmt.Errorf("console %s runs other contents of %s than this server may use: start another console with console_start", status.Name, adapterLabel(p.Name, p.Origin))
	}
	return err
}

// allowed returns the program as resolved when the server started, or an error if it is not
// allowed.
func (s *Server) allowed(p Program) (Program, error) {
	if s.o.Adapters == nil {
		return p, nil
	}
	for _, pinned := range s.pinned {
		if pinned.Name != "" && pinned.Name == p.Name && (pinned.Origin == p.Origin || pinned.Origin == "") {
			return pinned, nil
		}
	}
	return p, fmt.Errorf("this server may only use %s, not %s", strings.Join(s.o.Adapters, ", "), adapterLabel(p.Name, p.Origin))
}

// adapterLabel formats an adapter's name, with its origin unless it is embedded.
func adapterLabel(name, origin string) string {
	if origin == "" || origin == "embedded" {
		return name
	}
	return name + " (" + origin + ")"
}

// resolve finds the adapter that a client names. A user's path approves the file; a client's does not, because a
// model wrote it.
func (s *Server) resolve(adapter string) (Program, error) {
	for i, name := range s.o.Adapters {
		if name != adapter || i >= len(s.pinned) {
			continue
		}
		if s.pinned[i].Name != "" {
			return s.pinned[i], nil
		}
		if err := s.unusable[i]; err != nil && registry.IsPath(adapter) {
			return Program{}, fmt.Errorf("this server may use %q, but could not load it when it started: %w", adapter, err)
		}
	}
	if registry.IsPath(adapter) && adapter != s.o.Adapter {
		return Program{}, fmt.Errorf("%q is a path: give the name of an adapter; only the user who starts this server can allow a file", adapter)
	}
	return s.find(adapter)
}

// find finds an adapter by a name, or by a path that the options have.
func (s *Server) find(adapter string) (Program, error) {
	if s.o.Resolve == nil {
		return Program{Name: adapter}, nil
	}
	return s.o.Resolve(adapter)
}

// start starts a console, within the limits of the options.
func (s *Server) start(ctx context.Context, spec console.Spec, reuse bool) (*console.Client, console.Status, error) {
	asked := spec.Adapter
	if spec.Adapter == "" {
		spec.Adapter = s.o.Adapter
	}
	program, err := s.resolve(spec.Adapter)
	if err == nil {
		program, err = s.allowed(program)
	}
	if err != nil {
		return nil, console.Status{}, err
	}
	spec.Sealed, spec.Origin = program.Encoded, program.Origin
	dir, err := s.dir(spec.Dir)
	if err != nil {
		return nil, console.Status{}, err
	}
	spec.Dir, spec.IdleEnd = dir, idleEnd
	if s.o.Sandbox {
		spec.Sandbox = s.o.Dir
	}
	c, status, err := console.Start(ctx, s.o.HostCommand, s.o.Getenv, spec)
	if f, ok := asFault(err); ok && f.Code == console.FaultNameInUse && reuse {
		if c, err = s.consoles.Open(spec.Name); err == nil {
			if status, err = c.Status(ctx); err == nil {
				err = s.ended(c, status.Reusable(console.AdapterRef{}, ""))
			}
			if err == nil {
				err = s.allows(status, asked)
			}
			c, err = own(c, err)
		}
	}
	if err == nil {
		s.news.used(status)
	}
	return c, status, err
}

// dir returns the directory in which a console starts.
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
