package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

const (
	// exitedRetention is how long a console can be read after its program ended.
	exitedRetention = 10 * time.Minute
	// maxCommands is how many completed commands are kept in memory; older ones are in the record.
	maxCommands = 500
	// closeTimeout is the time limit for ending a program politely.
	closeTimeout = 5 * time.Second
	// shortestLook and longestLook bound the interval at which a console checks whether it has
	// expired.
	shortestLook, longestLook = 50 * time.Millisecond, time.Minute
)

// host is the process that hosts a console.
type host struct {
	spec    place.Order
	digest  string // of the adapter that the host got: see AdapterRef
	start   programStart
	adapter *schema.Adapter
	version string
	started time.Time
	record  *record
	screen  screen
	log     *slog.Logger

	printed notifier      // signaled by output and by the end of a command
	opened  chan struct{} // closed when the program is at its first prompt or will not reach it
	asked   chan struct{} // closed when the program waits for input, but not at its first prompt
	over    chan struct{} // closed when the program has ended and its outcome is set
	ending  chan struct{} // closed when the host has to end
	endOnce sync.Once

	saving sync.Mutex // held while the status is written

	mu      sync.Mutex
	socket  string  // path of the socket
	session program // nil until opened
	commands
	touched  time.Time // time of the last use
	visitors visitors
	outcome  outcome
}

// outcome describes how the program ended.
type outcome struct {
	failed error  // reason why the program did not start
	exit   string // text of the exit error
	code   *int   // exit code
	closed bool   // a client closed the console
}

func newHost(b *place.Pending, version string, rec *record, log *slog.Logger) *host {
	now := time.Now()
	h := &host{
		spec: b.Order, start: programStart{begun: b.Program}, adapter: b.Adapter, version: version, socket: b.Claim.Files.Socket, started: now, touched: now, record: rec, log: log,
		opened: make(chan struct{}), asked: make(chan struct{}), ending: make(chan struct{}), over: make(chan struct{}),
	}
	h.digest = schema.Digest(h.spec.Sealed)
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
	if err != nil {
		close(h.opened)
		h.log.Error("the program did not start", "error", err)
		return
	}
	h.screen.leave()
	h.save() // before clients read it
	close(h.opened)
	go h.watch(s)
}

// watch records the end of the program.
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

// ended records how the program ended. The caller holds the lock.
func (h *host) ended(err error) {
	h.outcome.exit = err.Error()
	if exit, ok := errors.AsType[*session.ExitError](err); ok {
		h.outcome.code = &exit.Code
	}
}

// save writes the console's status to its record.
func (h *host) save() {
	h.saving.Lock()
	defer h.saving.Unlock()
	if err := writeStatus(h.record.dir, h.status()); err != nil {
		h.log.Warn("noting what the console is", "error", err)
	}
}

// print records output of the running command.
func (h *host) print(b []byte) {
	kept, why := h.record.append(b)
	h.mu.Lock()
	r := h.latest()
	if r != nil && kept > 0 {
		r.cmd.Bytes += int64(kept)
		r.ended += int64(bytes.Count(b[:kept], []byte("\n")))
		r.cmd.Lines = r.ended
		if b[kept-1] != '\n' {
			r.cmd.Lines++
		}
	}
	if r != nil && why != nil {
		if r.cmd.Lost == 0 {
			r.cmd.LostFrom = r.ended + 1
		}
		r.cmd.Lost += int64(len(b) - kept)
		r.cmd.LostReason = why.Error()
	}
	h.mu.Unlock()
	h.printed.signal()
}

// state returns the console's state and that of its session.
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
	case st.Stopped != nil:
		return Stopped, st
	case st.Typing:
		return Typing, st
	case st.Phase == session.PhaseReady:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.restState(), st
	case st.Waiting == session.WaitingSecret && (st.EchoHint == session.EchoHintNone || !h.fullscreen()): // the hint: whether the program reads is unknown
		return WaitingSecret, st
	case h.fullscreen():
		return Fullscreen, st
	case st.Waiting == session.WaitingInput, st.EchoHint == session.EchoHintOn && h.screen.unfinished():
		return WaitingInput, st
	}
	return Running, st
}

// fullscreen reports whether the running command draws on the whole screen.
func (h *host) fullscreen() bool { return h.adapter.Agent == nil && h.screen.full() }

// status returns the console's current status.
func (h *host) status() Status {
	state, st := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.statusAs(state, st)
}

// statusAs returns a status for the given states. The caller holds the lock.
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
		API: APIVersion, Version: h.version, Name: h.spec.Name, AdapterRef: AdapterRef{h.adapter.Name, h.spec.Origin, h.digest}, State: state, Cwd: st.Cwd, Mode: st.Mode,
		HostPID: os.Getpid(), Socket: h.socket, Age: time.Since(h.started), PID: st.PID, Started: h.started, Exit: h.outcome.exit, ExitCode: h.outcome.code, Sandbox: h.start.enforced,
		Terminal: Terminal{Cols: cols, Rows: rows, Title: h.screen.title(), Users: h.visitors.people, Held: held, ShownIn: slices.Sorted(maps.Keys(h.visitors.shownIn)), Queued: h.visitors.queue.length()},
	}
	if state == Stopped {
		status.Stopped = st.Stopped
	}
	if r := h.latest(); r != nil {
		c := r.now()
		status.Command = &c
	}
	if a, is := h.session.(*agentProgram); is && state != Exited {
		status.Agent = a.describe()
	}
	if h.outcome.failed != nil {
		status.Exit = h.outcome.failed.Error()
	}
	if _, err := h.record.offset(); err != nil {
		status.Notice = fmt.Sprintf("output of commands cannot be written: %v", err)
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

// close ends the program, politely unless kill is set. The error names the processes that did not
// end.
func (h *host) close(kill bool) error {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if kill {
		cancel()
	}
	err := s.Close(ctx)
	if err != nil {
		h.log.Error("closing the program", "error", err)
	}
	return err
}

// expired reports whether the console's idle limit has passed, and otherwise the time left.
func (h *host) expired(now time.Time) (left time.Duration, over bool) {
	state, _ := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := h.spec.IdleEnd
	if state == Exited {
		limit = exitedRetention
	}
	if limit == 0 || h.visitors.clients > 0 || h.latest() != nil && h.latest().cmd.Running() && state != Exited {
		if limit == 0 {
			return longestLook, false
		}
		return min(max(limit, shortestLook), longestLook), false
	}
	left = limit - now.Sub(h.touched)
	return max(left, 0), left <= 0
}

// busy counts a waiting or attached client until leave is called.
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
