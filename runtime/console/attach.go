package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"ripple/runtime/session"
	"ripple/runtime/terminal"
)

// tail is how many lines of the history a person's terminal gets who attaches.
const tail = 200

// Notice is what a person who is attached should know besides what he sees.
type Notice struct {
	Title string `json:"title"`          // the program's, to be shown otherwise
	Held  int    `json:"held,omitempty"` // bytes that were typed and wait
	For   string `json:"for,omitempty"`  // what they wait for
}

// attached is a person's terminal on the console.
type attached struct {
	h        *host
	seat     int // tells it from the others
	sub      *terminal.Subscription
	frames   *frames
	readOnly bool
}

// getAttach puts a person's terminal on the console: GET /v1/attach?cols=80&rows=24 with
// Upgrade, and read_only=true for one who only looks.
func (h handlers) getAttach(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	cols, err := strconv.Atoi(q.Get("cols"))
	rows, err2 := strconv.Atoi(q.Get("rows"))
	if r.Header.Get("Upgrade") != attachProtocol || err != nil || err2 != nil || cols < 1 || rows < 1 {
		refuse(w, fault(FaultRequest, "a terminal is attached by an upgrade to %s, with its cols and rows", attachProtocol))
		return
	}
	state, _ := h.state()
	t := h.screen.terminal()
	if state == Exited || t == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if state == Exited {
			refuse(w, h.refuse(FaultExited, state, "the program has ended: %s", h.outcome.exit))
		} else {
			refuse(w, h.refuse(FaultBusy, state, "the program is being started"))
		}
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, fault(FaultRequest, "%v", err))
		return
	}
	defer func() { _ = conn.Close() }() // all was said
	a := &attached{h: h.host, readOnly: q.Get("read_only") == "true", frames: &frames{Reader: buffered, w: conn}}
	_ = conn.SetDeadline(time.Time{}) // a person takes his time
	if _, err := conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + attachProtocol + "\r\n\r\n")); err != nil {
		return
	}
	a.sub = t.SubscribeWindow(cols, rows, tail)
	defer a.comes()()
	a.serve(r.Context())
}

// comes counts the terminal; leave is for when it goes. The person's unfinished line is
// taken away.
func (a *attached) comes() (leave func()) {
	free := a.h.busy()
	a.h.visitors.all.Add(1)
	a.h.log.Info("a terminal is attached", "read_only", a.readOnly)
	a.count(1)
	return func() {
		a.sub.Close()
		if s := a.count(-1); s != nil && !a.readOnly {
			s.Leave(a.seat)
		}
		a.h.log.Info("a terminal is detached")
		a.h.visitors.all.Done()
		free()
	}
}

// count counts who may type.
func (a *attached) count(n int) program {
	h := a.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if !a.readOnly {
		h.visitors.people += n
	}
	if n > 0 {
		h.visitors.seats++
		a.seat = h.visitors.seats
	}
	return h.session
}

// serve returns when the person has detached, his connection is gone, or the program has
// ended and he was told.
func (a *attached) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		a.listen(ctx)
	}()
	if a.show(ctx) {
		_ = a.frames.writeJSON(frameEnd, a.farewell()) // he may be gone
	}
}

// frameGap is how long a screen stays that is shown in parts: each is painted whole.
const frameGap = 15 * time.Millisecond

// show sends what is to be seen and says whether the program has ended. A terminal that
// is not read from holds up nobody else.
func (a *attached) show(ctx context.Context) (ended bool) {
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
		if p.Snapshot {
			gap.Reset(frameGap)
			select {
			case <-gap.C:
			case <-ctx.Done():
			}
		}
	}
}

// listen takes what the person does.
func (a *attached) listen(ctx context.Context) {
	watching := make(chan struct{}, 1)
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
			a.sub.Lead()
			if a.typeKeys(body) {
				select {
				case watching <- struct{}{}:
					go func() {
						a.tellHeld(ctx)
						<-watching
					}()
				default:
				}
			}
		}
	}
}

// typeKeys gives the program what a person typed, and says whether some of it is held.
func (a *attached) typeKeys(b []byte) (held bool) {
	h := a.h
	h.mu.Lock()
	s := h.session
	h.touched = time.Now()
	h.mu.Unlock()
	if s == nil { // somebody answers what it asks at its start
		_, _ = h.screen.terminal().Write(b) // it has ended
		return false
	}
	return s.Type(a.seat, b) == nil && s.State().Held[a.seat] > 0
}

// tellHeld tells the person of keys that are held, until they are not.
func (a *attached) tellHeld(ctx context.Context) {
	a.h.mu.Lock()
	s := a.h.session
	a.h.mu.Unlock()
	told := 0
	for {
		st, err := s.WaitState(ctx, func(st session.State) bool { return st.Held[a.seat] != told })
		if err != nil {
			return
		}
		told = st.Held[a.seat]
		n := Notice{Title: a.h.screen.title(), Held: told}
		if told > 0 {
			n.For = a.holder(st)
		}
		if a.frames.writeJSON(frameNotice, n) != nil || told == 0 {
			return
		}
	}
}

// AnotherPerson is whom those wait for who type while another one's line is not finished.
const AnotherPerson = "another person"

// holder says what those wait for whose keys are held.
func (a *attached) holder(st session.State) string {
	h := a.h
	if st.Typing {
		return AnotherPerson
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.latest(); r != nil && r.cmd.Running() {
		return "command " + strconv.Itoa(r.cmd.ID) + by(r.cmd.By)
	}
	return "the program"
}

// farewell is what those are told who are attached when the program ends.
func (a *attached) farewell() Answer {
	h := a.h
	t := time.NewTimer(goodbye)
	defer t.Stop()
	select {
	case <-h.over:
	case <-t.C: // it ended before it had come to a prompt
	}
	h.mu.Lock()
	closed := h.outcome.closed
	h.mu.Unlock()
	end := Answer{Why: "exited", Status: h.status()}
	if closed {
		end.Why = "closed"
	}
	return end
}
