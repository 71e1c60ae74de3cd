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
	"path/filepath"
	"time"

	"ripple/runtime/console/place"
)

// Client talks to one console. Its methods may be called from several goroutines.
type Client struct {
	Name string
	// Noted is the console as its host last noted it beside its results. Its adapter and sandbox
	// never change.
	Noted Status
	files place.Files
	http  *http.Client
}

func newClient(noted Status, f place.Files) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", f.Socket)
	}
	return &Client{Name: noted.Name, Noted: noted, files: f, http: &http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a host knows no other place
	}}
}

// LogFile is where the console's host notes what happens to it.
func (c *Client) LogFile() string { return filepath.Join(c.files.Record, logName) }

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
	if json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&e) != nil || e.Error == nil {
		return nil, fmt.Errorf("%s: its host, another version of ripple, does not know this (%s)", c.Name, resp.Status)
	}
	return nil, e.Error
}

// lost is why a host does not answer. One that ended by itself has taken its results with it.
func (c *Client) lost(err error) error {
	if !c.files.Dead() {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	f := fault(FaultExited, "%s has ended", c.Name)
	if s, err := readStatus(filepath.Join(c.files.Record, statusName)); err == nil {
		s.State, s.Exit = Dead, hostKilled
		f = &Fault{Code: FaultExited, Message: c.Name + ": " + hostKilled, Status: &s}
	}
	return f
}

func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	b, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	if err := json.NewDecoder(io.LimitReader(b, maxAnswer)).Decode(into); err != nil {
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
	lines := json.NewDecoder(&boundedLines{in: body})
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
	for {
		if err := c.files.Forget(); !errors.Is(err, place.ErrTaken) {
			return err
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
