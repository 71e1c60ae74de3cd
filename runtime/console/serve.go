package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ripple/runtime/console/place"
	"ripple/runtime/registry"
	"ripple/runtime/tui"
	_ "ripple/schema/validate"
)

// HostOptions are what a host process runs with.
type HostOptions struct {
	Version string              // of this ripple
	Getenv  func(string) string // its environment
	In      io.Reader           // has the place.Order, as Start writes it; not read where Begun is
	Begun   *place.Begun        // what was begun before, or nil
	Confine []string            // the command line of a process that calls sandbox.Exec
	Ready   io.WriteCloser      // is told when the console can be used, or why not
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
	var told sync.Once
	ready := func(r readiness) {
		told.Do(func() {
			_ = json.NewEncoder(o.Ready).Encode(r) // whoever started us may be gone
			_ = o.Ready.Close()
		})
	}
	h, listener, release, err := prepare(o)
	if err != nil {
		ready(readiness{Error: startFault(err)})
		return err
	}
	err = h.serve(ctx, listener, ready)
	release()
	if h.outcome.failed != nil { // nothing is left of it now
		ready(readiness{Error: startFault(h.outcome.failed)})
	}
	return err
}

// begin claims the name, if that was not done before.
func begin(o HostOptions) (*place.Begun, error) {
	if o.Begun != nil {
		return o.Begun, nil
	}
	order, err := place.ReadOrder(o.In)
	if err != nil {
		return nil, err
	}
	reg, err := registry.Open(registry.DefaultSources(o.Getenv, order.From))
	if err != nil {
		return nil, err
	}
	entry, err := reg.Find(order.Adapter)
	if err != nil {
		return nil, err
	}
	if g := entry.Adapter.Agent; g != nil && g.Screen == nil {
		return nil, fault(FaultRequest, "%s: %v", entry.Adapter.Name, tui.ErrUnknown)
	}
	b, err := place.Begin(order, entry.Adapter, o.Getenv)
	if errors.Is(err, place.ErrTaken) {
		err = fault(FaultTaken, "a console named %s is running already", order.Name)
	}
	return b, err
}

// prepare claims the name and opens what a console needs; release undoes it.
func prepare(o HostOptions) (h *host, l net.Listener, release func(), err error) {
	b, err := begin(o)
	if err != nil {
		return nil, nil, nil, err
	}
	spec, f := b.Order.Spec, b.Claim.Files
	box, err := confine(spec, o.Confine)
	if err != nil {
		b.Release()
		return nil, nil, nil, err
	}
	rec, err := openRecord(f.Record)
	if err != nil {
		b.Release()
		if errors.Is(err, place.ErrTaken) {
			err = fault(FaultTaken, "a console named %s is running already, started with another XDG_RUNTIME_DIR", spec.Name)
		}
		return nil, nil, nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.Record, logName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		l, err = listen(f.Socket)
	}
	if err != nil {
		b.Release()
		rec.remove()
		return nil, nil, nil, err
	}
	h = newHost(b, o.Version, rec, slog.New(slog.NewTextHandler(file, nil)))
	h.start.confined = box
	if err := writeStatus(f.Record, h.status()); err != nil { // it could not be found
		_ = l.Close()
		_ = file.Close()
		rec.remove()
		b.Release()
		return nil, nil, nil, err
	}
	return h, l, func() {
		rec.remove()
		_ = file.Close() // it is gone
		b.Claim.Release()
	}, nil
}

const logName = "log"

// serve runs the console until it ends.
func (h *host) serve(ctx context.Context, l net.Listener, ready func(readiness)) error {
	server := &http.Server{Handler: handlers{h}.handler(), ReadHeaderTimeout: sendPatience, IdleTimeout: 2 * sendPatience, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn)}
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
	h.visitors.wait(bye)
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
	err := h.outcome.failed
	h.mu.Unlock()
	if err != nil {
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
