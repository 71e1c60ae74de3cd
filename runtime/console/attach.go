package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/runtime/terminal"
)

// tail is the number of history lines sent to a newly attached terminal.
const tail = 200

// Notice is information for an attached user that is not on the screen.
type Notice struct {
	Title  string `json:"title"`          // title of the program, to be shown outside the screen
	Held   int    `json:"held,omitempty"` // number of typed bytes that wait
	Holder string `json:"for,omitempty"`  // the holder that they wait for
	// LateSecret says that typed keys are dropped up to the end of the line: they may be the rest of a secret whose
	// question is over.
	LateSecret bool `json:"late_secret,omitempty"`
}

// attached is a user's terminal attached to the console.
type attached struct {
	h        *host
	id       int // identifies the attached terminal
	sub      *terminal.Subscription
	frames   *frames
	readOnly bool
	in       string // name of the console that runs the attaching client
	drafts   drafts // state of a client that edits lines
}

// getAttach attaches a terminal: GET /v1/attach?cols=80&rows=24 with Upgrade, read_only=true for a
// viewer, and edits=true for a client that edits lines.
func (h handlers) getAttach(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	cols, err := strconv.Atoi(q.Get("cols"))
	rows, err2 := strconv.Atoi(q.Get("rows"))
	if r.Header.Get("Upgrade") != attachProtocol || err != nil || err2 != nil || cols < 1 || rows < 1 {
		refuse(w, newFault(FaultBadRequest, "attach requests need the header Upgrade: %s and the parameters cols and rows", attachProtocol))
		return
	}
	state, _ := h.state()
	t := h.screen.terminal()
	if state == Exited || t == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if state == Exited {
			refuse(w, h.refuse(FaultExited, state, "%s", h.outcome.exit))
		} else {
			refuse(w, h.refuse(FaultBusy, state, "the program is being started"))
		}
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, newFault(FaultBadRequest, "%v", err))
		return
	}
	defer func() { _ = conn.Close() }() // everything has been sent
	a := &attached{h: h.host, readOnly: q.Get("read_only") == "true", drafts: drafts{edits: q.Get("edits") == "true"}, in: q.Get("in"), frames: &frames{Reader: buffered, w: conn}}
	_ = conn.SetDeadline(time.Time{}) // a user may be idle for any time
	a.sub = t.SubscribeWindow(cols, rows, tail)
	defer a.register()() // before the answer: a client that has it is in the console's status
	if _, err := conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + attachProtocol + "\r\n\r\n")); err != nil {
		return
	}
	a.serve(r.Context())
}

// register registers the terminal; leave unregisters it and discards the user's unfinished line.
func (a *attached) register() (leave func()) {
	free := a.h.busy()
	a.h.visitors.all.Add(1)
	a.h.log.Debug("a terminal is attached", "read_only", a.readOnly)
	a.count(1)
	return func() {
		a.sub.Close()
		if s := a.count(-1); s != nil && !a.readOnly {
			s.Detach(a.id)
		}
		a.h.log.Debug("a terminal is detached")
		a.h.visitors.all.Done()
		free()
	}
}

// count adjusts the number of terminals by n and returns the program.
func (a *attached) count(n int) program {
	h := a.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if !a.readOnly {
		h.visitors.people += n
	}
	if n > 0 {
		h.visitors.attached++
		a.id = h.visitors.attached
	}
	h.visitors.show(a.in, n)
	return h.session
}

// serve returns when the user detaches, the connection fails, or the program has ended and the
// client has been notified.
func (a *attached) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		a.readFrames(ctx)
	}()
	if a.drafts.edits && !a.readOnly {
		go a.sendPrompts(ctx)
	}
	if a.sendOutput(ctx) {
		_ = a.frames.writeJSON(frameEnd, a.finalAnswer()) // the client may have disconnected
	}
}

// frameGap is the minimum time between two snapshots; each repaints the whole screen.
const frameGap = 15 * time.Millisecond

// sendOutput sends output to the client and reports whether the program has ended. A client that does not
// read delays no other client.
func (a *attached) sendOutput(ctx context.Context) (ended bool) {
	gap := time.NewTimer(0)
	defer gap.Stop()
	for {
		p, err := a.sub.Next(ctx)
		if err != nil {
			return ctx.Err() == nil
		}
		if a.frames.write(frameOutput, p.Bytes) != nil {
			return false
		}
		a.drafts.passed(p.End)
		if p.Snapshot {
			gap.Reset(frameGap)
			select {
			case <-gap.C:
			case <-ctx.Done():
			}
		}
	}
}

// readFrames handles the frames that the client sends.
func (a *attached) readFrames(ctx context.Context) {
	watching := make(chan struct{}, 1)
	watch := func() {
		select {
		case watching <- struct{}{}:
			go func() {
				a.sendHeldNotices(ctx)
				<-watching
			}()
		default:
		}
	}
	for {
		kind, body, err := a.frames.read()
		if err != nil {
			return
		}
		switch kind {
		case frameSize:
			var q size
			if json.Unmarshal(body, &q) == nil && q.Cols > 0 && q.Rows > 0 {
				_ = a.sub.Resize(q.Cols, q.Rows) // the program has ended
			}
		case frameKeys:
			if a.readOnly || len(body) == 0 {
				continue
			}
			a.sub.ClaimSize()
			if a.typeKeys(body, a.drafts.edits) {
				watch()
			}
		case frameLine, frameEndDraft:
			if a.readOnly {
				continue
			}
			a.sub.ClaimSize()
			if a.handleDraft(kind, body) {
				watch()
			}
		}
	}
}

// typeKeys passes typed keys to the program and reports whether some of them are held. Drafted keys
// are offered for line editing first if the program supports that.
func (a *attached) typeKeys(b []byte, drafted bool) (held bool) {
	defer a.drafts.received(len(b))
	h := a.h
	h.mu.Lock()
	s := h.session
	h.touched = time.Now()
	h.mu.Unlock()
	if s == nil { // keys answer a question that the program asks at its start
		_, _ = h.screen.terminal().Write(b) // the program has ended
		return false
	}
	enter := s.Type
	if p, edits := s.(prompter); edits && drafted {
		enter = p.TypeDraft
	}
	return enter(a.id, b) == nil && a.hasUnreadKeys()
}

// hasUnreadKeys reports whether some of the user's keys are held, or are to be dropped.
func (a *attached) hasUnreadKeys() bool {
	a.h.mu.Lock()
	s := a.h.session
	a.h.mu.Unlock()
	return a.areUnread(s.State())
}

func (a *attached) areUnread(st session.State) bool { return st.Held[a.id] > 0 || a.areLate(st) }

// areLate reports whether the user's keys are to be dropped, as the rest of a secret.
func (a *attached) areLate(st session.State) bool { return slices.Contains(st.LateSecrets, a.id) }

// heldGrace is how long keys are unread before a notice says so. A program that reads them takes them
// within milliseconds: without the grace, its user's title would change and change back at each key.
const heldGrace = 300 * time.Millisecond

// sendHeldNotices sends notices about keys that are held or to be dropped, until there are none.
func (a *attached) sendHeldNotices(ctx context.Context) {
	a.h.mu.Lock()
	s := a.h.session
	a.h.mu.Unlock()
	grace, cancel := context.WithTimeout(ctx, heldGrace)
	_, err := s.WaitState(grace, func(st session.State) bool { return !a.areUnread(st) })
	cancel()
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return
	}
	held, typist, late := 0, 0, false
	for {
		st, err := s.WaitState(ctx, func(st session.State) bool {
			return st.Held[a.id] != held || held > 0 && st.TypingUser != typist || a.areLate(st) != late
		})
		if err != nil {
			return
		}
		held, typist, late = st.Held[a.id], st.TypingUser, a.areLate(st)
		n := Notice{Title: a.h.screen.title(), Held: held, LateSecret: late}
		if held > 0 {
			n.Holder = a.holder(st)
		}
		if n.Holder == "" {
			n.Held = 0
		}
		if a.frames.writeJSON(frameNotice, n) != nil || held == 0 && !late {
			return
		}
	}
}

// AnotherUser is the holder reported to users whose keys are queued after another user's
// unfinished line.
const AnotherUser = "another person"

// holder returns a description of what holds the user's keys; "" for the user's own line, whose
// keys came faster than the program reads.
func (a *attached) holder(st session.State) string {
	h := a.h
	switch {
	case st.Typing && st.TypingUser == a.id:
		return ""
	case st.Typing:
		return AnotherUser
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.latest(); r != nil && r.cmd.Running() {
		return "command " + strconv.Itoa(r.cmd.ID) + formatSender(r.cmd.By)
	}
	return "the program"
}

// finalAnswer returns the last answer to an attached client after the program has ended.
func (a *attached) finalAnswer() WaitResult {
	h := a.h
	t := time.NewTimer(closeTimeout)
	defer t.Stop()
	select {
	case <-h.over:
	case <-t.C: // the program ended before its first prompt
	}
	h.mu.Lock()
	closed := h.outcome.closed
	h.mu.Unlock()
	end := WaitResult{Reason: "exited", Status: h.status()}
	if closed {
		end.Reason = "closed"
	}
	return end
}
