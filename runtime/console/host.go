package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"ripple/runtime/console/place"
	"ripple/runtime/session"
	"ripple/schema"
)

const (
	// afterlife is how long a console can be read after its program ended.
	afterlife = 10 * time.Minute
	// remembered is how many ended commands are kept in memory; older ones are
	// in the record.
	remembered = 500
	// goodbye bounds the polite end of a program.
	goodbye = 5 * time.Second
)

// host is the process that holds a console.
type host struct {
	spec    Spec
	start   starting
	adapter *schema.Adapter
	version string
	started time.Time
	socket  string
	record  *record
	screen  screen
	log     *slog.Logger

	printed notifier      // output, and a command's end
	opened  chan struct{} // closed when the program is at its first prompt, or will not come there
	over    chan struct{} // closed when the program has ended, and how is known
	ending  chan struct{} // closed when the host is to end
	endOnce sync.Once

	mu      sync.Mutex
	session program // nil until opened
	commands
	touched  time.Time // something happened
	visitors visitors
	outcome  outcome
}

// visitors are those who wait, and the terminals that are attached.
type visitors struct {
	clients int            // of both
	all     sync.WaitGroup // terminals
	people  int            // who may type
	seats   int            // how many terminals there were
}

// wait returns when all were told of the end.
func (v *visitors) wait(ctx context.Context) {
	told := make(chan struct{})
	go func() {
		v.all.Wait()
		close(told)
	}()
	select {
	case <-told:
	case <-ctx.Done(): // somebody's terminal takes nothing
	}
}

// outcome is how the program ended.
type outcome struct {
	failed error  // why it did not start
	exit   string // in words
	code   *int   // its exit code
	closed bool   // by a client
}

func newHost(b *place.Begun, version string, rec *record, log *slog.Logger) *host {
	now := time.Now()
	h := &host{
		spec: b.Order.Spec, start: starting{begun: b.Program}, adapter: b.Adapter, version: version, socket: b.Claim.Files.Socket, started: now, touched: now, record: rec, log: log,
		opened: make(chan struct{}), ending: make(chan struct{}), over: make(chan struct{}),
	}
	o := h.spec.Options(h.adapter)
	h.spec.Cols, h.spec.Rows = o.Cols, o.Rows
	return h
}

// open starts the program and waits for its first prompt.
func (h *host) open(ctx context.Context) {
	s, err := startProgram(ctx, h)
	h.mu.Lock()
	h.session, h.outcome.failed = s, err
	h.mu.Unlock()
	close(h.opened)
	if err != nil {
		h.log.Error("the program did not start", "error", err)
		return
	}
	h.save()
	go h.watch(s)
}

// watch notes the program's end.
func (h *host) watch(s program) {
	<-s.Done()
	_, err := s.WaitState(context.Background(), func(session.State) bool { return false })
	h.mu.Lock()
	h.ended(err)
	h.touched = time.Now()
	h.mu.Unlock()
	h.log.Info("the program ended", "how", err)
	h.save()
	close(h.over)
	h.printed.signal()
}

// ended notes how the program ended. The lock is held.
func (h *host) ended(err error) {
	h.outcome.exit = err.Error()
	if exit, ok := errors.AsType[*session.ExitError](err); ok {
		h.outcome.code = &exit.Code
	}
}

// save writes what the console is beside its results.
func (h *host) save() {
	if err := writeStatus(h.record.dir, h.status()); err != nil {
		h.log.Warn("noting what the console is", "error", err)
	}
}

// print takes output of the running command.
func (h *host) print(b []byte) {
	kept, why := h.record.append(b)
	h.mu.Lock()
	r := h.latest()
	if r != nil && why != nil {
		r.cmd.Lost += int64(len(b) - kept)
		r.cmd.LostWhy = why.Error()
	}
	if b = b[:kept]; r != nil && kept > 0 {
		r.cmd.Bytes += int64(len(b))
		r.ended += int64(bytes.Count(b, []byte("\n")))
		r.cmd.Lines = r.ended
		if b[len(b)-1] != '\n' {
			r.cmd.Lines++
		}
	}
	h.mu.Unlock()
	h.printed.signal()
}

// state is what the console does, and what its session says of itself.
func (h *host) state() (State, session.State) {
	h.mu.Lock()
	s, exit, failed := h.session, h.outcome.exit, h.outcome.failed
	h.mu.Unlock()
	switch {
	case failed != nil || exit != "":
		return Exited, session.State{}
	case s == nil:
		return Starting, session.State{}
	}
	st := s.State()
	switch {
	case st.Phase == session.PhaseClosed:
		return Exited, session.State{}
	case st.Typing:
		return Typing, st
	case st.Phase == session.PhaseReady:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.settled(), st
	case h.adapter.Agent == nil && h.screen.full():
		return Fullscreen, st
	case st.Waiting == session.WaitingSecret:
		return WaitingSecret, st
	case st.Waiting == session.WaitingInput:
		return WaitingInput, st
	}
	return Running, st
}

// status is the console as it is now.
func (h *host) status() Status {
	state, st := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.statusAs(state, st)
}

// statusAs is made under the lock.
func (h *host) statusAs(state State, st session.State) Status {
	held := 0
	for _, n := range st.Held {
		held += n
	}
	cols, rows := h.screen.size()
	if cols == 0 {
		cols, rows = h.spec.Cols, h.spec.Rows
	}
	status := Status{
		API: API, Version: h.version, Name: h.spec.Name, Adapter: h.adapter.Name, State: state, Cwd: st.Cwd, Mode: st.Mode,
		Host: os.Getpid(), Socket: h.socket, Age: time.Since(h.started), PID: st.PID, Started: h.started, Exit: h.outcome.exit, ExitCode: h.outcome.code, Sandbox: h.start.enforced,
		Terminal: Terminal{Cols: cols, Rows: rows, Title: h.screen.title(), People: h.visitors.people, Held: held},
	}
	if r := h.latest(); r != nil {
		c := r.now()
		status.Command = &c
	}
	if a, is := h.session.(*agent); is && state != Exited {
		status.Agent = a.shows()
	}
	if h.outcome.failed != nil {
		status.Exit = h.outcome.failed.Error()
	}
	if _, err := h.record.offset(); err != nil {
		status.Notice = fmt.Sprintf("what commands print cannot be written: %v", err)
	}
	return status
}

// end asks the host to end.
func (h *host) end(why string) {
	h.endOnce.Do(func() {
		h.log.Info("the console ends", "why", why)
		close(h.ending)
	})
}

// close ends the program. kill leaves out the polite part.
func (h *host) close(kill bool) {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if kill {
		cancel()
	}
	if err := s.Close(ctx); err != nil {
		h.log.Error("closing the program", "error", err)
	}
}

// expired says whether the console has had its time, and how long it has otherwise.
func (h *host) expired(now time.Time) (left time.Duration, over bool) {
	state, _ := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := h.spec.IdleEnd
	if state == Exited {
		limit = afterlife
	}
	if limit == 0 || h.visitors.clients > 0 || h.latest() != nil && h.latest().cmd.Running() && state != Exited {
		return time.Minute, false
	}
	left = limit - now.Sub(h.touched)
	return max(left, 0), left <= 0
}

// busy counts a client that waits or is attached.
func (h *host) busy() (leave func()) {
	h.mu.Lock()
	h.visitors.clients++
	h.mu.Unlock()
	return func() {
		h.mu.Lock()
		h.visitors.clients--
		h.touched = time.Now()
		h.mu.Unlock()
	}
}
