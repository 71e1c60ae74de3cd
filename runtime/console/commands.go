package console

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"ripple/runtime/session"
)

// run is one command.
type run struct {
	done  chan struct{}
	cmd   Command // guarded by the host's lock
	ended int64   // lines of its output that have ended
	err   error
}

// What is remembered of a command besides its output, in bytes.
const (
	keptCode  = 4 << 10
	keptAside = 64 << 10
)

// beginning is at most n bytes of a text, whole characters, and a sign that it goes on.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// submit begins a command.
func (h *host) submit(q ExecRequest) (*run, *Fault) {
	state, st := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.session == nil:
		return nil, h.refuse(FaultBusy, state, "the program has not come to its first prompt")
	case state == Exited:
		return nil, h.refuse(FaultExited, state, "the program has ended: %s", h.outcome.exit)
	case h.latest() != nil && h.latest().cmd.Running():
		c := h.latest().cmd
		return nil, h.refuse(FaultBusy, state, "command %d%s is still running: wait for it, send it input, or interrupt it", c.ID, by(c.By))
	case q.ExpectCwd != "" && st.Cwd != "" && q.ExpectCwd != st.Cwd:
		return nil, h.refuse(FaultCwd, state, "the program is in %s, not in %s", st.Cwd, q.ExpectCwd)
	}
	from, _ := h.record.offset() // status says what is wrong
	h.count++
	r := &run{done: make(chan struct{}), cmd: Command{ID: h.count, Code: beginning(q.Code, keptCode), By: q.By, Started: time.Now(), From: from}}
	h.runs = append(h.runs, r)
	if len(h.runs) > remembered {
		h.runs = append(h.runs[:0], h.runs[len(h.runs)-remembered:]...)
	}
	h.touched = r.cmd.Started
	go h.run(h.session, r, q.Code)
	return r, nil
}

// run runs a command to its end, however long its clients wait.
func (h *host) run(s *session.Session, r *run, code string) {
	h.record.command(h.of(r))
	result, err := s.Eval(context.Background(), code)
	ended := time.Now()
	h.mu.Lock()
	c := &r.cmd
	c.Ended, c.ExitCode, c.Error, c.Duration = &ended, result.ExitCode, result.ErrorSeen, result.Duration
	c.CompletedBy, c.Cwd, c.Mode, c.Level = string(result.CompletedBy), result.Cwd, result.Mode, result.Level
	c.Captures, c.Screen, c.OutOfBand, c.PromptElsewhere = result.Captures, result.Screen, beginning(result.OutOfBand, keptAside), result.PromptElsewhere
	if r.err = err; err != nil {
		c.Failure = err.Error()
	}
	if errors.Is(err, session.ErrExited) { // its watcher comes later
		h.over(err)
	}
	h.touched = ended
	kept := *c
	h.mu.Unlock()
	h.record.command(kept)
	close(r.done)
	h.printed.signal()
}

// refuse is a fault that says what the console does. The lock is held.
func (h *host) refuse(code string, state State, format string, args ...any) *Fault {
	status := h.statusAs(state, session.State{})
	return &Fault{Code: code, Message: fmt.Sprintf("%s: %s", h.spec.Name, fmt.Sprintf(format, args...)), Status: &status}
}

// by says whose a command is.
func by(who string) string {
	if who == "" {
		return ""
	}
	return " of " + who
}

// find is a command by its number, 0: the latest.
func (h *host) find(id int) (*run, *Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(h.runs) == 0:
		return nil, fault(FaultUnknown, "%s has run no command yet", h.spec.Name)
	case id == 0:
		return h.latest(), nil
	}
	if i := id - h.runs[0].cmd.ID; i >= 0 && i < len(h.runs) {
		return h.runs[i], nil
	}
	return nil, fault(FaultUnknown, "%s has no command %d: the latest is %d", h.spec.Name, id, h.count)
}

// of is a command as it is now.
func (h *host) of(r *run) Command {
	h.mu.Lock()
	defer h.mu.Unlock()
	return r.now()
}

// now is the command as it is; how long it has been running does not depend on what the
// machine's clock is set to. The host's lock is held.
func (r *run) now() Command {
	c := r.cmd
	if c.Running() {
		c.Duration = time.Since(c.Started)
	}
	return c
}
