package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"example.org/ripple/internal/awake"
	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/session"
)

// handlers serves the requests that arrive on the console's socket.
type handlers struct{ *host }

func (h handlers) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1", h.getStatus)
	mux.HandleFunc("POST /v1/exec", h.postExec)
	mux.HandleFunc("POST /v1/wait", h.postWait)
	mux.HandleFunc("POST /v1/send", h.postSend)
	mux.HandleFunc("POST /v1/interrupt", h.postInterrupt)
	mux.HandleFunc("GET /v1/screen", h.getScreen)
	mux.HandleFunc("POST /v1/resize", h.postResize)
	mux.HandleFunc("GET /v1/attach", h.getAttach)
	mux.HandleFunc("POST /v1/close", h.postClose)
	return timely(mux)
}

func (h handlers) getStatus(w http.ResponseWriter, _ *http.Request) { reply(w, h.status()) }

func (h handlers) postExec(w http.ResponseWriter, r *http.Request) {
	var q ExecRequest
	if !accept(w, r, &q) {
		return
	}
	ctx, cancel := boundedBy(r.Context(), q.Wait)
	defer cancel()
	if !h.awaitPrompt(ctx) {
		return // the client disconnected
	}
	a := newStreamed(h, w)
	run, f := h.inTurn(ctx, q, a.queued)
	if f != nil {
		a.refuse(f)
		return
	}
	defer h.waits(run, -1)
	from := int64(0)
	if q.Quiet {
		from = -1
	}
	a.follow(ctx, &follower{h: h.host, run: run, from: from, stay: q.KeepWaiting})
}

// boundedBy returns a context limited to wait; 0 means without a limit.
func boundedBy(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	if wait > 0 {
		return awake.WithTimeout(ctx, wait)
	}
	return context.WithCancel(ctx)
}

// awaitPrompt waits for the program's first prompt. It returns false if the client disconnected.
func (h handlers) awaitPrompt(ctx context.Context) bool {
	select {
	case <-h.opened:
	case <-h.ending:
	case <-ctx.Done():
		return errors.Is(ctx.Err(), context.DeadlineExceeded)
	}
	return true
}

// errOnce returns the session's error for the command once it has ended.
func (r *run) errOnce() error {
	if isClosed(r.done) {
		return r.err
	}
	return nil
}

// refused returns the reason why the command was not sent; nil if it was, or may be.
func (r *run) refused() *Fault {
	f, _ := errors.AsType[*Fault](r.errOnce())
	return f
}

// postInterrupt interrupts the running command by the means of its adapter.
func (h handlers) postInterrupt(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), closeTimeout)
	defer cancel()
	h.awaitSent(ctx)
	run, f := h.find(0)
	if f != nil {
		refuse(w, f)
		return
	}
	_, err := h.program().Interrupt(ctx)
	why := "done"
	switch {
	case errors.Is(err, session.ErrTimeout):
		why = "time"
	case err != nil:
		refuse(w, newFault(FaultNotWaiting, "%s: %v", h.spec.Name, err))
		return
	default:
		select {
		case <-run.done:
		case <-ctx.Done():
			why = "time"
		}
	}
	if f := run.refused(); f != nil {
		refuse(w, f)
		return
	}
	c := h.snapshot(run)
	reply(w, WaitResult{Reason: why, Status: h.status(), Command: &c})
}

// screenAnswer is the answer to GET /v1/screen.
type screenAnswer struct {
	Status Status `json:"status"`
	Text   string `json:"text"`
}

func (h handlers) getScreen(w http.ResponseWriter, _ *http.Request) {
	reply(w, screenAnswer{Status: h.status(), Text: h.screen.text(0)})
}

// size is the body of POST /v1/resize.
type size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

func (h handlers) postResize(w http.ResponseWriter, r *http.Request) {
	var q size
	if !accept(w, r, &q) {
		return
	}
	if err := place.CheckSize(q.Cols, q.Rows); err != nil {
		refuse(w, newFault(FaultBadRequest, "%v", err))
		return
	}
	if t := h.screen.terminal(); t != nil {
		if err := t.Resize(q.Cols, q.Rows); err != nil {
			refuse(w, newFault(FaultBadRequest, "%v", err))
			return
		}
	}
	reply(w, h.status())
}

// closing is the body of POST /v1/close.
type closing struct {
	Mode string `json:"mode,omitempty"` // "close" (the default) or "kill"
}

// closed is the answer to POST /v1/close.
type closed struct {
	Status
	Left string `json:"left,omitempty"` // description of the processes that did not end
}

func (h handlers) postClose(w http.ResponseWriter, r *http.Request) {
	var q closing
	if !accept(w, r, &q) {
		return
	}
	h.mu.Lock()
	h.outcome.closed = true
	h.mu.Unlock()
	answer := closed{}
	if err := h.close(q.Mode == "kill"); err != nil {
		answer.Left = err.Error()
	}
	answer.Status = h.status()
	reply(w, answer)
	h.end("a client closed it")
}

const (
	// maxRequest is the size limit of a request, in bytes: code of 16 MB.
	maxRequest = 16 << 20
	// requestTimeout is how long a client may take to send a request.
	requestTimeout = time.Minute
)

// accept decodes a request into into. If it cannot, it answers with a fault and returns false.
func accept(w http.ResponseWriter, r *http.Request, into any) bool {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(requestTimeout)) // tests have no connection
	body := http.MaxBytesReader(w, r.Body, maxRequest)
	err := json.NewDecoder(body).Decode(into)
	if err == nil {
		_, err = io.Copy(io.Discard, body) // the server detects a disconnect only after the whole body was read
	}
	_ = conn.SetReadDeadline(time.Time{})
	if err != nil {
		refuse(w, newFault(FaultBadRequest, "the request cannot be read: %v", err))
		return false
	}
	return true
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

// refuse answers with a fault.
func refuse(w http.ResponseWriter, f *Fault) {
	w.Header().Set("Content-Type", "application/json")
	code := http.StatusConflict
	if f.Code == FaultBadRequest {
		code = http.StatusBadRequest
	}
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(envelope{f}) // the client may have disconnected
}
