package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"example.org/ripple/runtime/console/place"
)

// Client talks to one console. Its methods may be called from several goroutines.
type Client struct {
	Name string
	// RecordedStatus is the console's status as last recorded on disk by its host. Its adapter and sandbox
	// never change.
	RecordedStatus Status
	files          place.Files
	http           *http.Client
	kept           bool // the connections are shared through ClientCache
}

func newClient(noted Status, f place.Files) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", f.Socket)
	}
	return &Client{Name: noted.Name, RecordedStatus: noted, files: f, http: &http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableCompression: true, IdleConnTimeout: idleConnection},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a host does not redirect
	}}
}

// LogFile returns the path of the log of the console's host.
func (c *Client) LogFile() string { return filepath.Join(c.files.Record, logName) }

// idleConnection is how long a client keeps an idle connection: shorter than a host does, so that
// no request is sent on a connection that the host is closing.
const idleConnection = requestTimeout

// Close closes the client's connections, unless [ClientCache] keeps them; the console keeps running.
func (c *Client) Close() {
	if !c.kept {
		c.http.CloseIdleConnections()
	}
}

// do sends a request and returns the body of the answer. It fails if the host does not respond.
func (c *Client) do(ctx context.Context, method, path string, body any) (*answerBody, error) {
	ctx, answered, cancel := watched(ctx, c)
	b, err := c.request(ctx, method, path, body)
	answered()
	if err != nil {
		err = failure(ctx, err)
		cancel()
		return nil, err
	}
	return &answerBody{b, cancel}, nil
}

// answerBody is the body of an answer; closing it cancels the context of its request.
type answerBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// finish reads the end of an answer after its last line, so that its connection can be reused. It
// does not wait long.
func (b *answerBody) finish() {
	late := time.AfterFunc(stoppedLimit, b.cancel)
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, b.ReadCloser, 1) // without the end of the answer the connection is closed
}

// Close closes the body and cancels the request's context.
func (b *answerBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// request sends a request and returns the body of the answer.
func (c *Client) request(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
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
	if now := uptime(); now > 0 {
		r.Header.Set(askedHeader, strconv.FormatInt(int64(now), 10))
	}
	resp, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, c.hostGone(err)
	}
	if resp.StatusCode < 300 {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	var e envelope
	if json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&e) != nil || e.Error == nil {
		return nil, fmt.Errorf("%s: its host is another version of ripple, which does not support this request (%s)", c.Name, resp.Status)
	}
	return nil, e.Error
}

// hostGone returns the reason why a host does not respond. A host that ended by itself has removed its
// results.
func (c *Client) hostGone(err error) error {
	if !c.files.Dead() {
		if c.socketGone() || errors.Is(err, fs.ErrNotExist) { // or it was, and is made again
			return c.unresponsive()
		}
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	f := newFault(FaultExited, "%s has ended", c.Name)
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
	return c.decode(b, into)
}

// decode decodes an answer and closes it.
func (c *Client) decode(b io.ReadCloser, into any) error {
	defer func() { _ = b.Close() }()
	if err := json.NewDecoder(io.LimitReader(b, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("%s: the answer cannot be read: %w", c.Name, err)
	}
	return nil
}

// Exec runs a command and writes its output to out, which may be nil, as it arrives. It returns
// when the command ends or when the wait ends for another reason; in the latter case the command
// continues.
//
// Errors: *Fault if nothing was sent: FaultBusy, FaultQueued, FaultCwdMismatch, FaultExited; FaultUnresponsive if the
// host does not respond within answerLimit, or after the wait bounded by the request.
func (c *Client) Exec(ctx context.Context, q ExecRequest, out io.Writer) (WaitResult, error) {
	return c.stream(ctx, "/v1/exec", q, q.Wait, out)
}

// Wait waits for a running or completed command.
//
// Errors: *Fault: FaultUnknown; FaultTyping or FaultBusy if the command was not run because a user was faster;
// FaultUnresponsive if the host does not respond.
func (c *Client) Wait(ctx context.Context, q WaitRequest, out io.Writer) (WaitResult, error) {
	return c.stream(ctx, "/v1/wait", q, q.Wait, out)
}

func (c *Client) stream(ctx context.Context, path string, q any, wait time.Duration, out io.Writer) (WaitResult, error) {
	ctx, silence := boundSilence(ctx, c, wait)
	defer silence.end()
	body, err := c.do(ctx, http.MethodPost, path, q)
	if err != nil {
		return WaitResult{}, err
	}
	defer func() { _ = body.Close() }()
	lines := json.NewDecoder(&boundedLines{in: body})
	for {
		var p piece
		silence.start()
		err := lines.Decode(&p)
		silence.stop()
		if err != nil {
			if ctx.Err() != nil {
				return WaitResult{}, failure(ctx, err)
			}
			return WaitResult{}, c.hostGone(fmt.Errorf("the answer was cut off: %w", err))
		}
		if p.Done != nil || p.Error != nil {
			body.finish()
		}
		if p.Done != nil {
			return *p.Done, nil
		}
		if p.Error != nil {
			return WaitResult{}, p.Error
		}
		if p.State != "" {
			return WaitResult{}, errNoWait
		}
		if out == nil {
			continue
		}
		if noter, ok := out.(GapNoter); ok && p.Gap != nil {
			noter.NoteGap(*p.Gap)
		}
		if p.Gap != nil && p.Output == "" {
			continue
		}
		b := p.Raw
		if b == nil {
			b = []byte(p.Output)
		}
		if _, err := out.Write(b); err != nil {
			return WaitResult{}, err
		}
	}
}

// Send types input into the running command.
func (c *Client) Send(ctx context.Context, q SendRequest) (Status, error) {
	q.Wait = 0
	var s Status
	return s, c.call(ctx, http.MethodPost, "/v1/send", q, &s)
}

// errNoWait reports that a host of an earlier version typed the input and did not wait.
var errNoWait = errors.New("the host did not wait")

// SendAndWait types input into the running command and waits for that command like Wait. Calls that wait
// for their turn wait for the command meanwhile. If a coding agent runs no command, it waits until the
// agent waits for input.
//
// Errors: those of Send, with nothing typed; FaultUnresponsive if the host does not respond after the wait.
func (c *Client) SendAndWait(ctx context.Context, q SendRequest) (WaitResult, error) {
	a, err := c.stream(ctx, "/v1/send", q, q.Wait, nil)
	if errors.Is(err, errNoWait) {
		return c.Wait(ctx, WaitRequest{Wait: q.Wait, From: -1}, nil)
	}
	return a, err
}

// Interrupt interrupts the running command by the means of its adapter and waits for a prompt, for
// a few seconds at most.
func (c *Client) Interrupt(ctx context.Context) (WaitResult, error) {
	var a WaitResult
	return a, c.call(ctx, http.MethodPost, "/v1/interrupt", struct{}{}, &a)
}

// Screen returns the contents of the console's screen as text.
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

// End ends the console: first its program (politely unless kill is set), then all remaining
// processes. It returns when all have ended. With kill, an unresponsive host is killed. The processes
// that guard the host are continued if they are stopped.
//
// Errors: *Fault: FaultUnresponsive; FaultProcessesLeft if the console has ended but some of its processes
// have not.
func (c *Client) End(ctx context.Context, kill bool) error {
	q := closing{Mode: "close"}
	if kill {
		q.Mode = "kill"
	}
	continueGuard(c.files, c.RecordedStatus.HostPID)
	var s closed
	if err := c.call(ctx, http.MethodPost, "/v1/close", q, &s); err != nil {
		if kill && IsUnresponsive(err) {
			err = c.kill(ctx)
		}
		var f *Fault
		if err != nil && (!errors.As(err, &f) || f.Code != FaultExited) {
			return err
		}
	}
	ended := c.RecordedStatus
	if s.HostPID != 0 {
		ended = s.Status
	}
	if err := c.awaitEnd(ctx, &ended); err != nil || s.Left == "" {
		return err
	}
	return newFault(FaultProcessesLeft, "%s has ended, but some of its processes have not: %s", c.Name, s.Left)
}

// kill kills the host. It is not an error that it has ended meanwhile, as when another client was faster.
func (c *Client) kill(ctx context.Context) error {
	err := killHost(c.files, c.RecordedStatus.HostPID)
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if c.awaitEnd(ctx, &c.RecordedStatus) == nil {
		return nil
	}
	return err
}

// awaitEnd waits until the host of the ended console is gone, and removes the files of a killed host. A new console
// may have the name by then.
func (c *Client) awaitEnd(ctx context.Context, ended *Status) error {
	t := time.NewTicker(2 * time.Millisecond)
	defer t.Stop()
	for {
		if err := c.files.Forget(); !errors.Is(err, place.ErrNameInUse) {
			return err
		}
		if now, err := readStatus(filepath.Join(c.files.Record, statusName)); err == nil && (now.HostPID != ended.HostPID || !now.Started.Equal(ended.Started)) {
			return nil
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
