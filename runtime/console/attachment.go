package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/keys"
)

// ResetTerminal undoes any mode that a program may have set on a user's terminal, even in the
// middle of a sequence; the cursor position and the contents of the main screen are kept.
const ResetTerminal = "\x18\x1b\\" + vt.EndFrame + vt.Unset

// Detacher recognizes the keys that detach.
type Detacher = keys.Detacher

// NewDetacher returns a Detacher for keys such as "C-\ C-d": one or more control keys separated by
// blanks.
func NewDetacher(spec string) (*Detacher, error) { return keys.NewDetacher(spec) }

// AttachRequest asks to attach a user's terminal to the console.
type AttachRequest struct {
	Cols, Rows int // size of the terminal, in character cells
	ReadOnly   bool
	EditsLines bool   // the client edits lines: see AttachEvent.Prompt
	Enclosing  string // name of the console in whose terminal the client runs; empty if none
}

// Attachment is a user's terminal attached to a console. Its methods may be called from several
// goroutines, except Next, which may be called from one goroutine at a time.
type Attachment struct {
	c      *Client
	conn   net.Conn
	frames frames
	ctx    context.Context
	read   sync.Mutex // held while frames are read
	close  sync.Once
	stop   func() bool // stops waiting for the end of ctx
}

// AttachEvent is an event that a console sends to attached clients. Exactly one field is set.
type AttachEvent struct {
	Output []byte      // bytes to write to the terminal unchanged
	Notice *Notice     // information to show outside the screen
	Prompt *Prompt     // whether a line may be edited; only sent to clients that edit lines
	End    *WaitResult // the program ended ("exited") or a client closed the console ("closed"); the last event
}

// Attach attaches a terminal to the console until Close or the end of the context. The current
// contents and modes of the terminal do not matter: the first Output repaints it.
//
// Errors: *Fault: FaultExited, FaultBusy.
func (c *Client) Attach(ctx context.Context, q AttachRequest) (*Attachment, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.files.Socket)
	if err != nil {
		return nil, c.hostGone(err)
	}
	a := &Attachment{c: c, conn: conn, ctx: ctx}
	if err := a.upgrade(q); err != nil {
		_ = conn.Close() // nothing was sent
		return nil, err
	}
	a.stop = context.AfterFunc(ctx, a.detach)
	return a, nil
}

func (a *Attachment) upgrade(q AttachRequest) error {
	values := url.Values{"cols": {strconv.Itoa(q.Cols)}, "rows": {strconv.Itoa(q.Rows)}, "read_only": {strconv.FormatBool(q.ReadOnly)}, "in": {q.Enclosing}, "edits": {strconv.FormatBool(q.EditsLines)}}
	r, err := http.NewRequestWithContext(a.ctx, http.MethodGet, "http://console/v1/attach?"+values.Encode(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", attachProtocol)
	_ = a.conn.SetDeadline(time.Now().Add(answerLimit)) // if this fails, the first write fails, too
	defer func() { _ = a.conn.SetDeadline(time.Time{}) }()
	if err := r.Write(a.conn); err != nil {
		return a.c.hostGone(err)
	}
	in := bufio.NewReader(a.conn)
	resp, err := http.ReadResponse(in, r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return a.c.unresponsive()
	}
	if err != nil {
		return a.c.hostGone(err)
	}
	a.frames.Reader, a.frames.w = in, a.conn
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	var e envelope
	if json.NewDecoder(resp.Body).Decode(&e) != nil || e.Error == nil {
		return fmt.Errorf("console %s was started by another version of ripple, to which this one cannot attach (%s): use that version, or close the console", a.c.Name, resp.Status)
	}
	return e.Error
}

// Next waits for the next event. The error is io.EOF after End, the context's error, or an error
// that reports that the host is gone.
func (a *Attachment) Next() (AttachEvent, error) {
	for {
		a.read.Lock()
		kind, body, err := a.frames.read()
		a.read.Unlock()
		if err != nil {
			if a.ctx.Err() != nil {
				return AttachEvent{}, a.ctx.Err()
			}
			return AttachEvent{}, a.c.hostGone(err)
		}
		h := AttachEvent{}
		switch kind {
		case frameOutput:
			h.Output = body
		case frameNotice:
			err = json.Unmarshal(body, &h.Notice)
		case framePrompt:
			err = json.Unmarshal(body, &h.Prompt)
		case frameEnd:
			err = json.Unmarshal(body, &h.End)
		default:
			continue // sent by a later version
		}
		return h, err
	}
}

// Type sends typed keys. The caller passes whole keys as far as it can detect their ends.
func (a *Attachment) Type(b []byte) error { return a.frames.write(frameKeys, b) }

// Enter sends a line that the user edited in the terminal, including its line end, or keys for the
// program. It ends the draft.
func (a *Attachment) Enter(b []byte) error { return a.frames.write(frameLine, b) }

// EndDraft reports that the user's unfinished line, which began with Prompt.Keys, is empty again.
func (a *Attachment) EndDraft() error { return a.frames.write(frameEndDraft, nil) }

// Resize reports the size of the user's terminal, in character cells.
func (a *Attachment) Resize(cols, rows int) error {
	return a.frames.writeJSON(frameSize, size{cols, rows})
}

// closeLimit is how long Close waits for the host.
const closeLimit = time.Second

// Close detaches, and waits up to a second until the host has discarded the user's unfinished line: while
// there is one, commands of other clients are refused.
func (a *Attachment) Close() {
	a.stop()
	a.detach()
}

func (a *Attachment) detach() {
	a.close.Do(func() {
		if half, ok := a.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
			_ = a.conn.SetReadDeadline(time.Now().Add(closeLimit)) // if this fails, so does the read
			a.read.Lock()
			defer a.read.Unlock()
			_, _ = io.Copy(io.Discard, a.frames.Reader) // until the host closes the connection
		}
		_ = a.conn.Close() // the host notices the closed connection
	})
}
