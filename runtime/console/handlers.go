package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"ripple/runtime/session"
)

// handlers answer the requests that come over the console's socket.
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
	return mux
}

func (h handlers) getStatus(w http.ResponseWriter, _ *http.Request) { reply(w, h.status()) }

func (h handlers) postExec(w http.ResponseWriter, r *http.Request) {
	var q ExecRequest
	if !accept(w, r, &q) {
		return
	}
	if !h.awaitPrompt(r.Context(), q.Wait) {
		return // the client is gone
	}
	run, f := h.submit(q)
	if f != nil {
		refuse(w, f)
		return
	}
	from := int64(0)
	if q.Quiet {
		from = -1
	}
	h.answer(w, r, &follower{h: h.host, run: run, from: from, stay: q.Stay}, q.Wait)
}

// awaitPrompt waits for the program's first prompt, at most for a time, 0: until it is
// there. It is false when the client is gone.
func (h handlers) awaitPrompt(ctx context.Context, wait time.Duration) bool {
	if wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	select {
	case <-h.opened:
	case <-h.ending:
	case <-ctx.Done():
		return errors.Is(ctx.Err(), context.DeadlineExceeded)
	}
	return true
}

// answer streams what a follower sends, and what its wait came to.
func (h handlers) answer(w http.ResponseWriter, r *http.Request, f *follower, wait time.Duration) {
	ctx := r.Context()
	if wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	f.send = func(p piece) error {
		if err := out.Encode(p); err != nil {
			return err
		}
		if !isClosed(f.run.done) { // otherwise the answer follows at once
			return http.NewResponseController(w).Flush()
		}
		return nil
	}
	why, err := f.follow(ctx)
	if err != nil {
		return // the client is gone
	}
	c := h.of(f.run)
	a := Answer{Why: why, Status: h.status(), Command: &c, Dropped: f.dropped}
	if errors.Is(f.run.errOnce(), session.ErrExited) {
		a.Why = "exited"
	}
	_ = out.Encode(piece{Done: &a}) // the client may be gone
}

// errOnce is how the session said that the command ended, when it has.
func (r *run) errOnce() error {
	if isClosed(r.done) {
		return r.err
	}
	return nil
}

// postInterrupt interrupts the running command by the adapter's means.
func (h handlers) postInterrupt(w http.ResponseWriter, r *http.Request) {
	run, f := h.find(0)
	if f != nil {
		refuse(w, f)
		return
	}
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), goodbye)
	defer cancel()
	_, err := s.Interrupt(ctx)
	why := "done"
	switch {
	case errors.Is(err, session.ErrTimeout):
		why = "time"
	case err != nil:
		refuse(w, fault(FaultNotWaiting, "%s: %v", h.spec.Name, err))
		return
	default:
		<-run.done
	}
	c := h.of(run)
	reply(w, Answer{Why: why, Status: h.status(), Command: &c})
}

// screenAnswer is GET /v1/screen.
type screenAnswer struct {
	Status Status `json:"status"`
	Text   string `json:"text"`
}

func (h handlers) getScreen(w http.ResponseWriter, _ *http.Request) {
	reply(w, screenAnswer{Status: h.status(), Text: h.screen.text(0)})
}

// size is POST /v1/resize.
type size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// A console is never smaller than this: programs break in a sliver.
const (
	leastCols, leastRows = 20, 5
	mostCols, mostRows   = 1000, 1000
)

func (h handlers) postResize(w http.ResponseWriter, r *http.Request) {
	var q size
	if !accept(w, r, &q) {
		return
	}
	if q.Cols < leastCols || q.Rows < leastRows || q.Cols > mostCols || q.Rows > mostRows {
		refuse(w, fault(FaultRequest, "%d by %d is no size for a console: %d by %d is the least, %d by %d the most", q.Cols, q.Rows, leastCols, leastRows, mostCols, mostRows))
		return
	}
	if t := h.screen.terminal(); t != nil {
		if err := t.Resize(q.Cols, q.Rows); err != nil {
			refuse(w, fault(FaultRequest, "%v", err))
			return
		}
	}
	reply(w, h.status())
}

// closing is POST /v1/close.
type closing struct {
	Mode string `json:"mode,omitempty"` // "close" (the default) or "kill"
}

func (h handlers) postClose(w http.ResponseWriter, r *http.Request) {
	var q closing
	if !accept(w, r, &q) {
		return
	}
	h.mu.Lock()
	h.outcome.closed = true
	h.mu.Unlock()
	h.close(q.Mode == "kill")
	reply(w, h.status())
	h.end("a client closed it")
}

const (
	// maxRequest bounds what a client sends: code of 16 MB.
	maxRequest = 16 << 20
	// sendPatience is how long a client may take to send a request.
	sendPatience = time.Minute
)

// accept reads a request; when it cannot, it has answered.
func accept(w http.ResponseWriter, r *http.Request, into any) bool {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(sendPatience)) // tests have no connection
	body := http.MaxBytesReader(w, r.Body, maxRequest)
	err := json.NewDecoder(body).Decode(into)
	if err == nil {
		_, err = io.Copy(io.Discard, body) // the connection is watched for the client's end only behind it
	}
	_ = conn.SetReadDeadline(time.Time{})
	if err != nil {
		refuse(w, fault(FaultRequest, "the request cannot be read: %v", err))
		return false
	}
	return true
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// refuse answers with a fault.
func refuse(w http.ResponseWriter, f *Fault) {
	w.Header().Set("Content-Type", "application/json")
	code := http.StatusConflict
	if f.Code == FaultRequest {
		code = http.StatusBadRequest
	}
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(envelope{f}) // the client may be gone
}
