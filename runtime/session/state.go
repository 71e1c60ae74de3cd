package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// viewer tells how the program and the running command stand.
type viewer struct {
	*core
	flow *flow
}

func (v *viewer) state() State {
	var st State
	v.locked(func() {
		st.Typing = v.typist.typing()
		if v.cmd != nil {
			st.Waiting = v.waits()
			st.Stuck = st.Waiting != WaitingNo && v.term.Readiness().Only
		}
	})
	v.printer.upToDate(func() {
		waiting, stuck, typing := st.Waiting, st.Stuck, st.Typing
		st = State{
			Typing: typing, Held: v.typist.held.counts(),
			Phase: v.phase(), Mode: v.status.mode, Level: v.status.level, Cwd: v.status.cwd, PID: v.term.PID(), Needs: v.status.needs,
		}
		if v.cmd != nil {
			st.Waiting, st.Stuck, st.Partial = waiting, stuck, v.snapshot(v.cmd).Output
		}
	})
	return st
}

// nothing is the result of a command that is not sent: the session is as it was.
func (v *viewer) nothing() (r Result) {
	v.locked(func() {
		r = Result{Cwd: v.status.cwd, Mode: v.status.mode, Level: v.status.level, CompletedBy: ByPrompt}
	})
	return r
}

// silentFlight is how long after sending a program that still waits may be waiting
// for that very input, when it has shown no sign of life since and the terminal does
// not echo. With one, machine.InFlight is enough.
const silentFlight = takenLimit

// lostKey is how long a key is waited for that is bound to wake the program: on a busy
// machine the terminal itself may need a second to pass it on. Some mean something to the
// terminal alone.
const lostKey = 5 * time.Second

// onItsWay says whether what was sent last may not have reached the program. A
// terminal echoes what reaches it, unless somebody turned that off: then the time
// has to do.
func (v *viewer) onItsWay() bool {
	c := v.cmd
	passed := time.Since(c.line.at)
	switch {
	case c.prelude.expected, v.term.Queued() > 0, passed < machine.InFlight:
		return true
	case c.line.wait != 0:
		return passed < lostKey && v.kernel.waitNow() == c.line.wait
	case v.progress.bytes > c.line.to:
		return false
	}
	modes, err := v.term.Modes()
	return err == nil && (modes.Echoes() || passed < silentFlight)
}

// prompting says that what is shown may be a prompt: it is being proven.
func (v *viewer) prompting() bool {
	proof := v.control.state.Proof
	return proof != machine.ProofNone && proof != machine.ProofElsewhere
}

// waits asks whether the running command reads the terminal: a secret when the
// terminal would show a line but for its echo. When it does, the unfinished
// line that it waits behind is output.
func (v *viewer) waits() Waiting {
	if v.onItsWay() || v.prompting() || v.term.Readiness().State != pty.Waiting || v.term.Readable(v.progress.bytes) {
		return WaitingNo
	}
	v.flow.pass(v.stream.flush())
	v.printer.enqueue(job{kind: jobShow, c: v.cmd}, nil)
	modes, err := v.term.Modes()
	if err == nil && modes.Canonical() && !modes.Echoes() && v.plan.TTY.Echo {
		return WaitingSecret
	}
	return WaitingInput
}

// quiesceLimit bounds how long a program that never falls silent is waited for.
const quiesceLimit = time.Second

// quiesce waits until what the program prints on its own has been silent for
// the settle time, where the adapter asks for that.
func (v *viewer) quiesce(ctx context.Context) error {
	if !v.prog.asides.quiesce {
		return nil
	}
	for end := time.Now().Add(quiesceLimit); time.Now().Before(end); {
		v.mu.Lock()
		left := v.control.policy.Settle - time.Since(v.stream.asideAt)
		v.mu.Unlock()
		if left <= 0 {
			return nil
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-v.life.dead:
			t.Stop()
			return nil // submitting tells
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
	return nil
}

// snapshot is the result so far of a command whose end has not been told yet,
// for upToDate.
func (v *viewer) snapshot(c *command) Result {
	r := c.result
	if v.cmd == c {
		r = v.printer.reports.partial(c)
		pending := string(c.render.text.Pending()) + string(v.stream.held) + v.stream.unproven.printed()
		r.Output += pending
		r.Bytes += int64(len(pending))
		r.Screen = c.render.text.Screen()
	}
	r.CompletedBy = ByTimeout
	return r
}

func (d *driver) resize(cols, rows int) error {
	if cols <= 0 || rows <= 0 {
		return fmt.Errorf("a terminal of %d×%d cells: both must be positive", cols, rows)
	}
	var err error
	d.locked(func() {
		err = d.term.Resize(cols, rows)
		d.events.tell(EventResize, nil, fmt.Sprintf("%dx%d", cols, rows))
	})
	return err
}

func (d *driver) signal(sig os.Signal) error {
	var err error
	d.locked(func() {
		d.events.tell(EventSignal, nil, sig.String())
		err = d.term.Signal(sig)
	})
	return err
}

// How often WaitState looks when nothing tells it to: whether a program waits
// for input is not announced by anybody.
const (
	firstPoll   = 500 * time.Microsecond
	longestPoll = 50 * time.Millisecond
)

// WaitState returns as soon as want is true for the session's state; it looks
// again on every change and now and then. What had been printed in that state has
// gone to Options.Output before it returns, so Output itself must not call it. The
// error is the context's, or ErrExited.
func (s *Session) WaitState(ctx context.Context, want func(State) bool) (State, error) {
	d := s.driver()
	t := time.NewTimer(firstPoll)
	defer t.Stop()
	for gap := firstPoll; ; gap = min(gap*2, longestPoll) {
		changed := d.changes()
		st := d.viewer.state()
		if want(st) {
			d.printer.delivered(ctx)
			return st, nil
		}
		t.Reset(gap)
		select {
		case <-changed:
		case <-t.C:
		case <-d.life.dead:
			if st = d.viewer.state(); want(st) {
				return st, nil
			}
			return st, s.ended(d)
		case <-ctx.Done():
			return st, ctx.Err()
		}
	}
}
