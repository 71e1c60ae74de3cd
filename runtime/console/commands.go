package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// submit begins a command, which runs to its end however long its clients wait.
func (h *host) submit(q ExecRequest) (*run, *Fault) {
	r, f := h.admit(q)
	if f != nil {
		return nil, f
	}
	wait, err := h.session.Submit(context.Background(), q.Code)
	if err != nil { // a person was faster
		state, _ := h.state()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.takeBack(r)
		if errors.Is(err, session.ErrTyping) {
			return nil, h.refuse(FaultTyping, state, "%v", err)
		}
		if errors.Is(err, session.ErrBusy) {
			return nil, h.refuse(FaultBusy, state, "a person's command is still running")
		}
		return nil, h.refuse(FaultBusy, state, "%v", err)
	}
	h.record.command(h.of(r))
	go func() {
		result, err := wait(context.Background())
		h.finish(r, result, err)
	}()
	return r, nil
}

// admit makes a command of a request, unless something speaks against it.
func (h *host) admit(q ExecRequest) (*run, *Fault) {
	state, st := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.session == nil:
		return nil, h.refuse(FaultBusy, state, "the program has not come to its first prompt")
	case state == Exited:
		return nil, h.refuse(FaultExited, state, "the program has ended: %s", h.outcome.exit)
	case h.settled() == Running:
		c := h.latest().cmd
		return nil, h.refuse(FaultBusy, state, "command %d%s is still running: wait for it, send it input, or interrupt it", c.ID, by(c.By))
	case state == Typing:
		return nil, h.refuse(FaultTyping, state, "%v", session.ErrTyping)
	case q.ExpectCwd != "" && st.Cwd != "" && q.ExpectCwd != st.Cwd:
		return nil, h.refuse(FaultCwd, state, "the program is in %s, not in %s", st.Cwd, q.ExpectCwd)
	}
	h.touched = time.Now()
	from, _ := h.record.offset() // status says what is wrong
	return h.add(q.Code, q.By, from), nil
}

// commands are those of a console. They are under the host's lock.
type commands struct {
	runs  []*run // the latest, the oldest first
	count int
}

// latest is the latest command; nil: there was none.
func (c *commands) latest() *run {
	if len(c.runs) == 0 {
		return nil
	}
	return c.runs[len(c.runs)-1]
}

// settled is the state of a console whose program takes a command: it is idle as soon as
// the end of the latest one is noted.
func (c *commands) settled() State {
	if r := c.latest(); r != nil && r.cmd.Running() {
		return Running
	}
	return Idle
}

// add makes a command the latest, whose output begins at that offset of the record.
func (c *commands) add(code, by string, from int64) *run {
	c.count++
	r := &run{done: make(chan struct{}), cmd: Command{ID: c.count, Code: beginning(code, keptCode), By: by, Started: time.Now(), From: from}}
	c.runs = append(c.runs, r)
	if len(c.runs) > remembered {
		c.runs = append(c.runs[:0], c.runs[len(c.runs)-remembered:]...)
	}
	return r
}

// takeBack takes back a command that was not sent.
func (c *commands) takeBack(r *run) {
	c.runs = slices.DeleteFunc(c.runs, func(o *run) bool { return o == r })
	if r.cmd.ID == c.count {
		c.count--
	}
}

// typed is a command that a person begins at the prompt.
func (h *host) typed(t *session.Typed) {
	code := t.Code()
	h.mu.Lock()
	h.touched = time.Now()
	from, _ := h.record.offset() // status says what is wrong
	r := h.add(code, aPerson, from)
	h.mu.Unlock()
	h.record.command(h.of(r))
	h.printed.signal()
	go func() {
		result, err := t.Wait()
		code := t.Code() // it may have gone on
		h.mu.Lock()
		r.cmd.Code = beginning(code, keptCode)
		h.mu.Unlock()
		h.finish(r, result, err)
	}()
}

// aPerson is whose the commands are that were typed.
const aPerson = "person"

// finish notes how a command ended.
func (h *host) finish(r *run, result session.Result, err error) {
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
		h.ended(err)
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
	// One that was taken back leaves a gap when another one came meanwhile.
	if i := slices.IndexFunc(h.runs, func(r *run) bool { return r.cmd.ID == id }); i >= 0 {
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
