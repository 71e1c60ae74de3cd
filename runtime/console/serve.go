package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"ripple/runtime/registry"
	"ripple/runtime/session"
)

// HostOptions are what a host process runs with.
type HostOptions struct {
	Version string              // of this ripple
	Getenv  func(string) string // its environment
	In      io.Reader           // has the Spec, as Start writes it
	Ready   io.WriteCloser      // is told when the console can be used, or why not
}

// order is what Start writes to a new host.
type order struct {
	Spec
	From string `json:"from"` // the starter's directory: where a project's adapters are found
}

// readiness is what a new host answers.
type readiness struct {
	Status *Status `json:"status,omitempty"`
	Error  *Fault  `json:"error,omitempty"`
}

// Serve is a host process: it starts the console that it is told to, serves it and
// returns when it has ended and nothing is left of it. The context's end closes the
// program politely.
func Serve(ctx context.Context, o HostOptions) error {
	ready := func(r readiness) {
		_ = json.NewEncoder(o.Ready).Encode(r) // whoever started us may be gone
		_ = o.Ready.Close()
	}
	h, listener, release, err := prepare(o)
	if err != nil {
		var f *Fault
		if !errors.As(err, &f) {
			f = fault(FaultStart, "%v", err)
		}
		ready(readiness{Error: f})
		return err
	}
	defer release()
	return h.serve(ctx, listener, ready)
}

// prepare claims the name and opens what a console needs; release undoes it.
func prepare(o HostOptions) (h *host, l net.Listener, release func(), err error) {
	var spec order
	if err := json.NewDecoder(o.In).Decode(&spec); err != nil {
		return nil, nil, nil, fmt.Errorf("a console host is started by ripple itself, not by hand: %w", err)
	}
	reg, err := registry.Open(registry.DefaultSources(o.Getenv, spec.From))
	if err != nil {
		return nil, nil, nil, err
	}
	entry, err := reg.Find(spec.Adapter)
	if err != nil {
		return nil, nil, nil, err
	}
	f, err := places(o.Getenv, spec.Name)
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := take(f)
	if errors.Is(err, errTaken) {
		return nil, nil, nil, fault(FaultTaken, "a console named %s is running already", spec.Name)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	rec, err := openRecord(f.record)
	if err != nil {
		c.release()
		return nil, nil, nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.record, logName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		l, err = listen(f.socket)
	}
	if err != nil {
		c.release()
		rec.remove()
		return nil, nil, nil, err
	}
	h = newHost(spec.Spec, entry.Adapter, o.Version, rec, slog.New(slog.NewTextHandler(file, nil)))
	return h, l, func() {
		rec.remove()
		_ = file.Close() // it is gone
		c.release()
	}, nil
}

const logName = "log"

// listen makes a socket that only this user can connect to.
func listen(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // the directory is private already
		return nil, errors.Join(err, l.Close())
	}
	return ours{l.(*net.UnixListener)}, nil
}

// ours accepts connections of this user's processes only.
type ours struct{ *net.UnixListener }

func (l ours) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil || samePeer(c) {
			return c, err
		}
		_ = c.Close() // a stranger
	}
}

// serve runs the console until it ends.
func (h *host) serve(ctx context.Context, l net.Listener, ready func(readiness)) error {
	server := &http.Server{Handler: h.handler(), ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	h.log.Info("the console begins", "adapter", h.adapter.Name, "dir", h.spec.Dir)
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	go h.open(opening)
	go h.announce(ready)
	h.live(ctx)
	cancel()
	<-h.opened
	h.close(ctx.Err() != nil)
	h.printed.signal()
	bye, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if server.Shutdown(bye) != nil { // somebody is still being answered
		_ = server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// startPatience is how long Start waits for the first prompt; the console lives on
// as "starting" when it takes longer.
const startPatience = 30 * time.Second

// announce tells whoever started the host.
func (h *host) announce(ready func(readiness)) {
	t := time.NewTimer(startPatience)
	defer t.Stop()
	select {
	case <-h.opened:
	case <-t.C:
	}
	h.mu.Lock()
	err := h.failed
	h.mu.Unlock()
	if err != nil {
		ready(readiness{Error: startFault(err)})
		h.end("its program did not start")
		return
	}
	status := h.status()
	ready(readiness{Status: &status})
}

// live returns when the console is to end.
func (h *host) live(ctx context.Context) {
	t := time.NewTimer(time.Minute)
	defer t.Stop()
	for {
		left, over := h.expired(time.Now())
		if over {
			h.end("nobody used it")
			return
		}
		t.Reset(left + time.Millisecond)
		select {
		case <-t.C:
		case <-h.ending:
			return
		case <-ctx.Done():
			h.end("it was asked to")
			return
		}
	}
}

func (h *host) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1", h.getStatus)
	mux.HandleFunc("POST /v1/exec", h.postExec)
	mux.HandleFunc("POST /v1/wait", h.postWait)
	mux.HandleFunc("POST /v1/send", h.postSend)
	mux.HandleFunc("POST /v1/interrupt", h.postInterrupt)
	mux.HandleFunc("GET /v1/screen", h.getScreen)
	mux.HandleFunc("POST /v1/resize", h.postResize)
	mux.HandleFunc("POST /v1/close", h.postClose)
	return mux
}

func (h *host) getStatus(w http.ResponseWriter, _ *http.Request) { reply(w, h.status()) }

func (h *host) postExec(w http.ResponseWriter, r *http.Request) {
	var q ExecRequest
	if !accept(w, r, &q) {
		return
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
	h.answer(w, r, &follower{h: h, run: run, from: from, stay: q.Stay}, q.Wait)
}

// answer streams what a follower sends, and what its wait came to.
func (h *host) answer(w http.ResponseWriter, r *http.Request, f *follower, wait time.Duration) {
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
	a := Answer{Why: why, Status: h.status(), Command: &c}
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

func (h *host) postSend(w http.ResponseWriter, r *http.Request) {
	var q SendRequest
	if !accept(w, r, &q) {
		return
	}
	if f := h.typeIn(r.Context(), q); f != nil {
		refuse(w, f)
		return
	}
	reply(w, h.status())
}

// typeIn types into the running command.
func (h *host) typeIn(ctx context.Context, q SendRequest) *Fault {
	text := q.Text
	for _, k := range q.Keys {
		seq, err := Key(k)
		if err != nil {
			return fault(FaultRequest, "%v", err)
		}
		text += seq
	}
	state, _ := h.state()
	h.mu.Lock()
	s := h.session
	var f *Fault
	switch {
	case state == Exited:
		f = h.refuse(FaultExited, state, "the program has ended: %s", h.exit)
	case s == nil:
		f = h.refuse(FaultBusy, state, "the program has not come to its first prompt")
	case state == Idle:
		f = h.refuse(FaultNotWaiting, state, "no command is running that could read it: run code with exec")
	case state == WaitingSecret && !q.Secret:
		f = h.refuse(FaultSecret, state, "the command asks for a secret, which a person should type")
	case q.Only && state == Running:
		f = h.refuse(FaultNotWaiting, state, "the command is not waiting for input")
	}
	h.mu.Unlock()
	if f != nil {
		return f
	}
	if err := s.Send(ctx, []byte(text)); err != nil {
		return fault(FaultNotWaiting, "%s: %v", h.spec.Name, err)
	}
	return nil
}

// postInterrupt interrupts the running command by the adapter's means.
func (h *host) postInterrupt(w http.ResponseWriter, r *http.Request) {
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

func (h *host) getScreen(w http.ResponseWriter, _ *http.Request) {
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

func (h *host) postResize(w http.ResponseWriter, r *http.Request) {
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

func (h *host) postClose(w http.ResponseWriter, r *http.Request) {
	var q closing
	if !accept(w, r, &q) {
		return
	}
	h.close(q.Mode == "kill")
	reply(w, h.status())
	h.end("a client closed it")
}

// maxRequest bounds what a client sends: code of 16 MB.
const maxRequest = 16 << 20

// accept reads a request; when it cannot, it has answered.
func accept(w http.ResponseWriter, r *http.Request, into any) bool {
	body := http.MaxBytesReader(w, r.Body, maxRequest)
	if err := json.NewDecoder(body).Decode(into); err != nil {
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
