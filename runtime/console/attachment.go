package console

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"ripple/runtime/internal/keys"
	"ripple/runtime/internal/vt"
)

// ResetTerminal undoes on a person's terminal whatever a program may have set there, in
// the middle of a sequence too; the cursor and what is shown on the main screen stay.
const ResetTerminal = "\x18\x1b\\" + vt.EndFrame + vt.Unset

// Detacher looks for the keys that detach.
type Detacher = keys.Detacher

// NewDetacher takes keys as "C-\ C-d": one or more control keys with blanks between.
func NewDetacher(spec string) (*Detacher, error) { return keys.NewDetacher(spec) }

// AttachRequest asks for the console on a person's terminal.
type AttachRequest struct {
	Cols, Rows int // of the terminal
	ReadOnly   bool
}

// Attachment is a person's terminal on a console. Its methods may be called from several
// goroutines, Next from one at a time.
type Attachment struct {
	c      *Client
	conn   net.Conn
	frames frames
	ctx    context.Context
}

// Happening is what a console sends to those who are attached: one of the three.
type Happening struct {
	Output []byte  // to be written to the terminal as it is
	Notice *Notice // to be shown beside
	End    *Answer // the program ended ("exited"), or somebody closed the console ("closed"); nothing follows
}

// Attach puts a terminal on the console until Close or the context's end. What it shows
// and has set does not matter: the first Output paints it anew.
//
// Errors: *Fault: FaultExited, FaultBusy.
func (c *Client) Attach(ctx context.Context, q AttachRequest) (*Attachment, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.files.Socket)
	if err != nil {
		return nil, c.lost(err)
	}
	a := &Attachment{c: c, conn: conn, ctx: ctx}
	if err := a.upgrade(q); err != nil {
		_ = conn.Close() // nothing was begun
		return nil, err
	}
	context.AfterFunc(ctx, a.Close)
	return a, nil
}

func (a *Attachment) upgrade(q AttachRequest) error {
	values := url.Values{"cols": {strconv.Itoa(q.Cols)}, "rows": {strconv.Itoa(q.Rows)}, "read_only": {strconv.FormatBool(q.ReadOnly)}}
	r, err := http.NewRequestWithContext(a.ctx, http.MethodGet, "http://console/v1/attach?"+values.Encode(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", attachProtocol)
	if err := r.Write(a.conn); err != nil {
		return a.c.lost(err)
	}
	in := bufio.NewReader(a.conn)
	resp, err := http.ReadResponse(in, r)
	if err != nil {
		return a.c.lost(err)
	}
	a.frames.Reader, a.frames.w = in, a.conn
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	var e envelope
	if json.NewDecoder(resp.Body).Decode(&e) != nil || e.Error == nil {
		return fmt.Errorf("%s: its host, another version of ripple, cannot be attached to (%s)", a.c.Name, resp.Status)
	}
	return e.Error
}

// Next waits for what happens next. The error is io.EOF after the end, the context's,
// or says that the host is gone.
func (a *Attachment) Next() (Happening, error) {
	for {
		kind, body, err := a.frames.read()
		if err != nil {
			if a.ctx.Err() != nil {
				return Happening{}, a.ctx.Err()
			}
			return Happening{}, a.c.lost(err)
		}
		h := Happening{}
		switch kind {
		case frameOutput:
			h.Output = body
		case frameNotice:
			err = json.Unmarshal(body, &h.Notice)
		case frameEnd:
			err = json.Unmarshal(body, &h.End)
		default:
			continue // of a later version
		}
		return h, err
	}
}

// Type sends what the person typed: whole keys, as far as that can be known.
func (a *Attachment) Type(b []byte) error { return a.frames.write(frameKeys, b) }

// Resize tells the size of the person's terminal.
func (a *Attachment) Resize(cols, rows int) error {
	return a.frames.writeJSON(frameSize, size{cols, rows})
}

// Close detaches.
func (a *Attachment) Close() {
	_ = a.conn.Close() // the host sees it
}
