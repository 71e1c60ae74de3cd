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
	"sync"
	"time"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/internal/tui"
	_ "example.org/ripple/schema/validate"
)

// HostOptions are the options of a host process.
type HostOptions struct {
	Version        string              // version of this ripple
	Getenv         func(string) string // the host's environment
	In             io.Reader           // provides the place.Order that Start writes; not read if Pending is set
	Pending        *place.Pending      // a console that was started earlier, or nil
	SandboxCommand []string            // command line of a process that calls sandbox.Exec
	Ready          io.WriteCloser      // receives the readiness: the console is usable, or the error
}

// readiness is the answer of a new host.
type readiness struct {
	Status *Status `json:"status,omitempty"`
	Error  *Fault  `json:"error,omitempty"`
}

// Serve runs a host process: it starts the console described by the options, serves it and returns
// when it has ended and all its processes are gone. When the context ends, the program is closed
// politely.
func Serve(ctx context.Context, o HostOptions) error {
	var told sync.Once
	ready := func(r readiness) {
		told.Do(func() {
			_ = json.NewEncoder(o.Ready).Encode(r) // the starting process may be gone
			_ = o.Ready.Close()
		})
	}
	h, d, release, err := prepare(o)
	if err != nil {
		ready(readiness{Error: startFault(err)})
		return err
	}
	err = h.serve(ctx, d, ready)
	release()
	if h.outcome.failed != nil { // all its files are removed now
		ready(readiness{Error: startFault(h.outcome.failed)})
	}
	return err
}

// begin claims the name, unless that was done earlier.
func begin(o HostOptions) (*place.Pending, error) {
	if o.Pending != nil {
		return o.Pending, nil
	}
	order, err := place.ReadOrder(o.In)
	if err != nil {
		return nil, err
	}
	a, err := adapterOf(&order, o.Getenv)
	if err != nil {
		return nil, err
	}
	if g := a.Agent; g != nil && g.Screen == nil {
		return nil, newFault(FaultBadRequest, "%s: %v", a.Name, tui.ErrUnknown)
	}
	if err := fitsSandbox(order.Spec, a); err != nil {
		return nil, err
	}
	b, err := place.Prestart(order, a, o.Getenv)
	if errors.Is(err, place.ErrNameInUse) {
		err = newFault(FaultNameInUse, "a console named %s is %v", order.Name, err)
	}
	return b, err
}

// prepare claims the name and opens the files and the socket of a console; release undoes it.
func prepare(o HostOptions) (h *host, d *door, release func(), err error) {
	b, err := begin(o)
	if err != nil {
		return nil, nil, nil, err
	}
	spec, f := b.Order.Spec, b.Claim.Files
	box, err := confine(spec, o.SandboxCommand)
	if err != nil {
		b.Release()
		return nil, nil, nil, err
	}
	rec, err := openRecord(f.Record)
	if err != nil {
		b.Release()
		return nil, nil, nil, err
	}
	d = &door{claim: b.Claim, getenv: o.Getenv}
	file, err := os.OpenFile(filepath.Join(f.Record, logName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		err = d.listen()
	}
	if err != nil {
		rec.remove()
		b.Release()
		return nil, nil, nil, err
	}
	h = newHost(b, o.Version, rec, slog.New(slog.NewTextHandler(file, nil)))
	h.start.confinement = box
	if err := writeStatus(f.Record, h.status()); err != nil { // clients could not find the console
		_ = d.listener.Close()
		_ = file.Close()
		rec.remove()
		b.Release()
		return nil, nil, nil, err
	}
	return h, d, func() {
		rec.remove()
		_ = file.Close() // it is gone
		b.Claim.Release()
	}, nil
}

const logName = "log"

// serve runs the console until it ends.
func (h *host) serve(ctx context.Context, d *door, ready func(readiness)) error {
	d.server = &http.Server{Handler: handlers{h}.handler(), ReadHeaderTimeout: requestTimeout, IdleTimeout: 2 * requestTimeout, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn)}
	served := make(chan error, 1)
	go func(l net.Listener) { served <- d.server.Serve(l) }(d.listener)
	h.log.Info("the console begins", "adapter", h.adapter.Name, "dir", h.spec.Dir)
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	go h.open(opening)
	go h.announce(ready)
	h.live(ctx, d)
	cancel()
	<-h.opened
	_ = h.close(ctx.Err() != nil) // the log names the remaining processes
	h.printed.signal()
	bye, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	h.visitors.wait(bye)
	if d.server.Shutdown(bye) != nil { // a request is still being answered
		_ = d.server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) { // closed to be made again
		return err
	}
	return nil
}

// startTimeout is how long Start waits for the first prompt; after that the console continues as
// "starting".
const startTimeout = 30 * time.Second

// announce reports readiness to the process that started the host.
func (h *host) announce(ready func(readiness)) {
	t := time.NewTimer(startTimeout)
	defer t.Stop()
	select {
	case <-h.opened:
	case <-h.asked:
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
	if n := h.record.removed; n > 0 && status.Notice == "" {
		status.Notice = fmt.Sprintf("%d kept results of the former console %s, whose host was killed, were removed", n, h.spec.Name)
		if n == 1 {
			status.Notice = fmt.Sprintf("the kept result of the former console %s, whose host was killed, was removed", h.spec.Name)
		}
	}
	ready(readiness{Status: &status})
}

// live returns when the console has to end. Until then it keeps the console reachable.
func (h *host) live(ctx context.Context, d *door) {
	t := time.NewTimer(time.Minute)
	defer t.Stop()
	for {
		left, over := h.expired(time.Now())
		if over {
			h.end("nobody used it")
			return
		}
		t.Reset(min(left, doorLook) + time.Millisecond)
		select {
		case <-t.C:
			h.keepReachable(d)
		case <-h.ending:
			return
		case <-ctx.Done():
			h.end("it was asked to")
			return
		}
	}
}
