package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"example.org/ripple/runtime/session"
)

// run is a command and its state in the host.
type run struct {
	sent  chan struct{} // closed when the command was sent, or will not be sent
	done  chan struct{} // closed when the command ended, or will not be sent
	cmd   Command       // guarded by the host's lock
	ended int64         // number of complete lines of output
	err   error         // set before done is closed: the session's, or a *Fault if the command was not sent
	// waiting is the number of clients that wait for the command; guarded by the host's lock.
	waiting int
}

// Limits of the data kept per command in addition to its output, in bytes.
const (
	keptCode  = 4 << 10
	keptAside = 64 << 10
)

// truncate returns at most n bytes of text, cut at a character boundary, and a mark if text was
// cut.
func truncate(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// submit starts a command, which runs to its end regardless of how long its clients wait.
func (h *host) submit(q ExecRequest) (*run, *Fault) {
	r, f := h.admit(q)
	if f != nil {
		return nil, f
	}
	wait, err := h.session.Submit(context.Background(), q.Code)
	if err != nil { // a user started a command first
		return nil, h.withdraw(r, err)
	}
	close(r.sent)
	h.record.command(h.snapshot(r))
	go func() {
		result, err := wait(context.Background())
		h.finish(r, result, err)
	}()
	return r, nil
}

// withdraw removes a command that the program refused for the reason err. It returns the fault for the command's sender;
// clients that wait for the command get a similar one.
func (h *host) withdraw(r *run, err error) *Fault {
	h.mu.Lock()
	h.remove(r)
	h.mu.Unlock()
	state, _ := h.state() // without the command
	code, why := FaultBusy, err.Error()
	switch {
	case errors.Is(err, session.ErrTyping):
		code = FaultTyping
	case errors.Is(err, session.ErrBusy):
		why = "a user's command is still running"
	}
	h.mu.Lock()
	f := h.refuse(code, state, "%s", why)
	r.err = h.refuse(code, state, "the command was not run: %s", why)
	h.mu.Unlock()
	close(r.sent)
	close(r.done)
	h.visitors.queue.changed.signal()
	return f
}

// admit creates the command for a request, or returns the reason for refusing it.
func (h *host) admit(q ExecRequest) (*run, *Fault) {
	state, st := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.session == nil: // the wait for its first prompt has ended
		return nil, h.refuse(FaultQueued, state, "the program has not reached its first prompt")
	case state == Exited:
		return nil, h.refuse(FaultExited, state, "%s", h.outcome.exit)
	case h.restState() == Running && state == Stopped:
		f := h.refuseStopped(st)
		f.Code = FaultBusy // a job that the user suspends is stopped for a moment only: a queued call waits
		return nil, f
	case state == Stopped:
		return nil, h.refuseStopped(st)
	case state == Typing: // also in an unfinished command that has printed something
		return nil, h.refuse(FaultTyping, state, "%v", session.ErrTyping)
	case h.restState() == Running:
		c := h.latest().cmd
		return nil, h.refuse(FaultBusy, state, "command %d%s is still running: wait for it, send it input, or interrupt it", c.ID, formatSender(c.By))
	case q.ExpectCwd != "" && st.Cwd != "" && q.ExpectCwd != st.Cwd:
		return nil, h.refuse(FaultCwdMismatch, state, "the program is in %s, not in %s", st.Cwd, q.ExpectCwd)
	}
	h.touched = time.Now()
	from, _ := h.record.offset() // the status reports the error
	r := h.add(q.Code, q.By, from)
	r.waiting = 1 // the sender waits
	return r, nil
}

// commands holds the commands of a console. The host's lock guards it.
type commands struct {
	runs  []*run // most recent commands, oldest first
	count int
}

// latest returns the latest command, or nil if there was none.
func (c *commands) latest() *run {
	if len(c.runs) == 0 {
		return nil
	}
	return c.runs[len(c.runs)-1]
}

// restState returns the state of a console whose program accepts a command: idle once the end of the
// latest command has been recorded.
func (c *commands) restState() State {
	if r := c.latest(); r != nil && r.cmd.Running() {
		return Running
	}
	return Idle
}

// add creates a command whose output begins at offset from of the record and makes it the latest.
func (c *commands) add(code, by string, from int64) *run {
	c.count++
	r := &run{sent: make(chan struct{}), done: make(chan struct{}), cmd: Command{ID: c.count, Code: truncate(code, keptCode), By: by, Started: time.Now(), From: from}}
	c.runs = append(c.runs, r)
	if len(c.runs) > maxCommands {
		c.runs = append(c.runs[:0], c.runs[len(c.runs)-maxCommands:]...)
	}
	return r
}

// remove removes a command that was not sent.
func (c *commands) remove(r *run) {
	c.runs = slices.DeleteFunc(c.runs, func(o *run) bool { return o == r })
	if r.cmd.ID == c.count {
		c.count--
	}
}

// typed handles a command that a user starts at the prompt.
func (h *host) typed(t *session.TypedCommand) {
	code := t.Code()
	h.mu.Lock()
	h.touched = time.Now()
	from, _ := h.record.offset() // the status reports the error
	r := h.add(code, userSender, from)
	close(r.sent)
	h.mu.Unlock()
	h.record.command(h.snapshot(r))
	h.printed.signal()
	go func() {
		result, err := t.Wait()
		code := t.Code() // more lines may have been entered
		h.mu.Lock()
		r.cmd.Code = truncate(code, keptCode)
		h.mu.Unlock()
		h.finish(r, result, err)
	}()
}

// userSender is the sender of typed commands.
const userSender = "person"

// finish records how a command ended.
func (h *host) finish(r *run, result session.Result, err error) {
	ended := time.Now()
	h.screen.leave()
	h.mu.Lock()
	c := &r.cmd
	c.Ended, c.ExitCode, c.Error, c.Duration = &ended, result.ExitCode, result.Failed, result.Duration
	c.CompletedBy, c.Cwd, c.Mode, c.Level = string(result.CompletedBy), result.Cwd, result.Mode, result.Level
	c.Captures, c.Screen, c.OutOfBand, c.PromptElsewhere = result.Captures, result.Screen, truncate(result.OutOfBand, keptAside), result.PromptElsewhere
	c.Fault = result.Fault
	if r.err = err; err != nil {
		c.Failure, c.Incomplete = err.Error(), errors.Is(err, session.ErrIncompleteInput)
		c.Error = c.Error || !errors.Is(err, session.ErrExited) // the program's exit code says whether its end is an error
	}
	if errors.Is(err, session.ErrExited) { // watch records the end later
		h.ended(err)
	}
	h.touched = ended
	kept := *c
	h.mu.Unlock()
	h.record.command(kept)
	close(r.done)
	h.printed.signal()
	h.visitors.queue.changed.signal()
}

// refuse returns a fault with the console's status. The caller holds the host's lock.
func (h *host) refuse(code string, state State, format string, args ...any) *Fault {
	status := h.statusAs(state, session.State{})
	return &Fault{Code: code, Message: fmt.Sprintf("%s: %s", h.spec.Name, fmt.Sprintf(format, args...)), Status: &status}
}

// refuseStopped returns the fault of a request that a stopped program cannot serve. The caller holds
// the host's lock.
func (h *host) refuseStopped(st session.State) *Fault {
	status := h.statusAs(Stopped, st)
	return &Fault{Code: FaultStopped, Message: fmt.Sprintf("%s: the program is stopped (%v); to continue it: kill -CONT %d", h.spec.Name, st.Stopped, st.Stopped.PID), Status: &status}
}

// formatSender formats the sender of a command for a message.
func formatSender(who string) string {
	if who == "" {
		return ""
	}
	return " of " + who
}

// awaitSent waits until the latest command has been sent, so that input and interrupts reach it. It returns false if it has not been
// sent when ctx ends.
func (h *host) awaitSent(ctx context.Context) bool {
	h.mu.Lock()
	r := h.latest()
	h.mu.Unlock()
	if r == nil {
		return true
	}
	select {
	case <-r.sent:
	case <-ctx.Done():
	}
	return isClosed(r.sent)
}

// find returns the command with a number; 0 means the latest.
func (h *host) find(id int) (*run, *Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(h.runs) == 0:
		return nil, newFault(FaultUnknown, "%s has run no command yet", h.spec.Name)
	case id == 0:
		return h.latest(), nil
	}
	// A command that was taken back leaves a gap if another one was added in the meantime.
	if i := slices.IndexFunc(h.runs, func(r *run) bool { return r.cmd.ID == id }); i >= 0 {
		return h.runs[i], nil
	}
	return nil, newFault(FaultUnknown, "%s has no command %d: the latest is %d", h.spec.Name, id, h.count)
}

// snapshot returns a snapshot of a command.
func (h *host) snapshot(r *run) Command {
	h.mu.Lock()
	defer h.mu.Unlock()
	return r.now()
}

// now returns a snapshot of the command. Its duration does not depend on changes of the system
// clock. The caller holds the host's lock.
func (r *run) now() Command {
	c := r.cmd
	if c.Running() {
		c.Duration = time.Since(c.Started)
	}
	return c
}
