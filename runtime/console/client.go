package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Client talks to one console. Its methods may be called from several goroutines.
type Client struct {
	Name  string
	files files
	http  *http.Client
}

func newClient(name string, f files) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", f.socket)
	}
	return &Client{Name: name, files: f, http: &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}}}
}

// LogFile is where the console's host notes what happens to it.
func (c *Client) LogFile() string { return filepath.Join(c.files.record, logName) }

// Close closes the client's connections; the console lives on.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// do sends a request and returns the answer's body.
func (c *Client) do(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://console"+path, in)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, c.lost(err)
	}
	if resp.StatusCode < 300 {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	var e envelope
	if json.NewDecoder(resp.Body).Decode(&e) != nil || e.Error == nil {
		return nil, fmt.Errorf("%s: its host, another version of ripple, does not know this (%s)", c.Name, resp.Status)
	}
	return nil, e.Error
}

// lost is why a host does not answer.
func (c *Client) lost(err error) error {
	if dead(c.files) {
		return fault(FaultExited, "%s has ended", c.Name)
	}
	return fmt.Errorf("%s: %w", c.Name, err)
}

func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	b, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	if err := json.NewDecoder(b).Decode(into); err != nil {
		return fmt.Errorf("%s: the answer cannot be read: %w", c.Name, err)
	}
	return nil
}

// Status is what the console does.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	return s, c.call(ctx, http.MethodGet, "/v1", nil, &s)
}

// Exec runs a command and writes its output to out as it comes, which may be nil.
// It returns when the command ends, or at whatever else ends its wait; the
// command then goes on.
//
// Errors: *Fault when nothing was sent: FaultBusy, FaultCwd, FaultExited.
func (c *Client) Exec(ctx context.Context, q ExecRequest, out io.Writer) (Answer, error) {
	return c.stream(ctx, "/v1/exec", q, out)
}

// Wait waits for a command that runs, or ran.
func (c *Client) Wait(ctx context.Context, q WaitRequest, out io.Writer) (Answer, error) {
	return c.stream(ctx, "/v1/wait", q, out)
}

func (c *Client) stream(ctx context.Context, path string, q any, out io.Writer) (Answer, error) {
	body, err := c.do(ctx, http.MethodPost, path, q)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = body.Close() }()
	lines := json.NewDecoder(body)
	for {
		var p piece
		if err := lines.Decode(&p); err != nil {
			if ctx.Err() != nil {
				return Answer{}, ctx.Err()
			}
			return Answer{}, c.lost(fmt.Errorf("the answer broke off: %w", err))
		}
		if p.Done != nil {
			return *p.Done, nil
		}
		if out == nil {
			continue
		}
		b := p.Raw
		if b == nil {
			b = []byte(p.Output)
		}
		if _, err := out.Write(b); err != nil {
			return Answer{}, err
		}
	}
}

// Send types into the running command.
func (c *Client) Send(ctx context.Context, q SendRequest) (Status, error) {
	var s Status
	return s, c.call(ctx, http.MethodPost, "/v1/send", q, &s)
}

// Interrupt interrupts the running command by its program's means and waits until
// a prompt came back, at most for a few seconds.
func (c *Client) Interrupt(ctx context.Context) (Answer, error) {
	var a Answer
	return a, c.call(ctx, http.MethodPost, "/v1/interrupt", struct{}{}, &a)
}

// Screen is what the console shows, as text.
func (c *Client) Screen(ctx context.Context) (string, Status, error) {
	var a screenAnswer
	err := c.call(ctx, http.MethodGet, "/v1/screen", nil, &a)
	return a.Text, a.Status, err
}

// Resize changes the terminal's size, in character cells.
func (c *Client) Resize(ctx context.Context, cols, rows int) (Status, error) {
	var s Status
	return s, c.call(ctx, http.MethodPost, "/v1/resize", size{cols, rows}, &s)
}

// End ends the console: its program politely, unless kill, then all that it left
// behind. It returns when nothing is left of it.
func (c *Client) End(ctx context.Context, kill bool) error {
	q := closing{Mode: "close"}
	if kill {
		q.Mode = "kill"
	}
	var s Status
	if err := c.call(ctx, http.MethodPost, "/v1/close", q, &s); err != nil {
		var f *Fault
		if !errors.As(err, &f) || f.Code != FaultExited {
			return err
		}
	}
	return c.vanish(ctx)
}

// vanish waits until the host is gone, and removes what a killed one left.
func (c *Client) vanish(ctx context.Context) error {
	t := time.NewTicker(2 * time.Millisecond)
	defer t.Stop()
	for !dead(c.files) {
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return os.RemoveAll(c.files.record)
}

// Read reads lines of a command's output from the console's record on disk, which
// outlives the host.
func (c *Client) Read(q ReadRequest) (Lines, error) {
	cmd, err := c.command(q.Command)
	if err != nil {
		return Lines{}, err
	}
	return c.Lines(cmd, q)
}

// Lines is Read for a command that is known as it is now.
func (c *Client) Lines(cmd Command, q ReadRequest) (Lines, error) {
	in, skipped, err := output(c.files.record, cmd.From, cmd.From+cmd.Bytes)
	if err != nil {
		return Lines{}, err
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := Lines{Command: cmd, Lines: []Line{}, Dropped: skipped}
	return lines, selectLines(in, q, cmd.Lines, &lines)
}

// command is one by its number, 0: the latest. Of a host that lives, it is asked:
// the command may be running.
func (c *Client) command(id int) (Command, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s, err := c.Status(ctx)
	if err == nil && s.Command != nil && (id == 0 || id == s.Command.ID) {
		return *s.Command, nil
	}
	var found *Command
	if err := eachCommand(c.files.record, func(cmd Command) bool {
		if id == 0 || cmd.ID == id {
			found = &cmd
		}
		return id == 0 || found == nil
	}); err != nil {
		return Command{}, err
	}
	if found == nil {
		return Command{}, fault(FaultUnknown, "%s has no command %d, or no longer", c.Name, id)
	}
	return *found, nil
}

// ErrNone: no console is running, where the only one was meant.
var ErrNone = fault(FaultUnknown, "no console is running")

// Find is the console of a name or of a prefix that no other one has; without a name,
// the only one.
//
// Errors: *Fault: ErrNone, FaultUnknown with the consoles that there are.
func Find(getenv func(string) string, name string) (*Client, error) {
	names, err := list(getenv)
	if err != nil {
		return nil, err
	}
	var match []string
	for _, n := range names {
		if n == name {
			match = []string{n}
			break
		}
		if strings.HasPrefix(n, name) {
			match = append(match, n)
		}
	}
	switch {
	case len(names) == 0:
		return nil, ErrNone
	case len(match) == 0:
		return nil, fault(FaultUnknown, "no console is called %q; there are %s", name, strings.Join(names, ", "))
	case len(match) > 1 && name == "":
		return nil, fault(FaultUnknown, "which console? There are %s", strings.Join(match, ", "))
	case len(match) > 1:
		return nil, fault(FaultUnknown, "%q may be %s", name, strings.Join(match, " or "))
	}
	return Open(getenv, match[0])
}

// Open is the console of that very name.
//
// Errors: *Fault: FaultUnknown.
func Open(getenv func(string) string, name string) (*Client, error) {
	f, err := places(getenv, name)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(f.record, statusName)); err != nil {
		return nil, fault(FaultUnknown, "no console is called %q", name)
	}
	return newClient(name, f), nil
}

// list are the names of the consoles that live, and of those whose results can
// still be read.
func list(getenv func(string) string) ([]string, error) {
	state, err := stateDir(getenv)
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(state, "*", statusName))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range found {
		if s, err := readStatus(path); err == nil {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func readStatus(path string) (Status, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Status{}, err
	}
	var s Status
	return s, json.Unmarshal(b, &s)
}

// List is every console of this user, by name. One whose host was killed is Dead.
func List(ctx context.Context, getenv func(string) string) ([]Status, error) {
	names, err := list(getenv)
	if err != nil {
		return nil, err
	}
	all := make([]Status, 0, len(names))
	for _, name := range names {
		f, err := places(getenv, name)
		if err != nil {
			return nil, err
		}
		c := newClient(name, f)
		s, err := c.Status(ctx)
		c.Close()
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if s, err = readStatus(filepath.Join(f.record, statusName)); err != nil {
				continue // it ended in this moment
			}
			s.State, s.Exit = Dead, "its host was killed"
		}
		all = append(all, s)
	}
	return all, nil
}
