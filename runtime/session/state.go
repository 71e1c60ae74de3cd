package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// isDead says whether the program has ended. A caller who has just been told
// so by a Result may come before the reader is through.
func (d *driver) isDead() bool {
	d.mu.Lock()
	ended := d.life.exit != nil
	d.mu.Unlock()
	if ended {
		<-d.life.dead
	}
	return ended
}

// changes is closed at the next change of phase.
func (d *driver) changes() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.life.changed
}

func (d *driver) phase() Phase {
	switch d.control.state.Step {
	case machine.StepReady:
		return PhaseReady
	case machine.StepRunning:
		return PhaseRunning
	case machine.StepExited:
		return PhaseClosed
	}
	return PhaseStarting
}

func (d *driver) snapState() State {
	var st State
	d.locked(func() {
		if d.cmd != nil {
			st.Waiting = d.waits()
			st.Stuck = st.Waiting != WaitingNo && d.term.Readiness().Only
		}
	})
	d.printer.upToDate(func() {
		waiting, stuck := st.Waiting, st.Stuck
		st = State{Phase: d.phase(), Mode: d.status.mode, Level: d.status.level, Cwd: d.status.cwd, PID: d.term.PID(), Needs: d.status.needs}
		if d.cmd != nil {
			st.Waiting, st.Stuck, st.Partial = waiting, stuck, d.snapshot(d.cmd).Output
		}
	})
	return st
}

// nothing is the result of a command that is not sent: the session is as it was.
func (d *driver) nothing() (r Result) {
	d.locked(func() {
		r = Result{Cwd: d.status.cwd, Mode: d.status.mode, Level: d.status.level, CompletedBy: ByPrompt}
	})
	return r
}

// silentFlight is how long after sending a program that still waits may be waiting
// for that very input, when it has shown no sign of life since and the terminal does
// not echo. With one, machine.InFlight is enough.
const silentFlight = takenLimit

// onItsWay says whether what was sent last may not have reached the program. A
// terminal echoes what reaches it, unless somebody turned that off: then the time
// has to do.
func (d *driver) onItsWay() bool {
	c := d.cmd
	passed := time.Since(c.line.at)
	switch {
	case c.prelude.expected, d.term.Queued() > 0, passed < machine.InFlight:
		return true
	case d.progress.bytes > c.line.to:
		return false
	}
	echoes, _, err := d.term.Flags()
	return err == nil && (echoes || passed < silentFlight)
}

// waits asks whether the running command reads the terminal: a secret when the
// terminal would show a line but for its echo. When it does, the unfinished
// line that it waits behind is output.
func (d *driver) waits() Waiting {
	if d.onItsWay() || d.control.state.Proof != machine.ProofNone && d.control.state.Proof != machine.ProofElsewhere || d.term.Readiness().State != pty.Waiting || d.term.Readable(d.progress.bytes) {
		return WaitingNo
	}
	d.pass(d.stream.flush())
	d.printer.enqueue(job{kind: jobShow, c: d.cmd}, nil)
	echoes, canonical, err := d.term.Flags()
	if err == nil && canonical && !echoes && d.plan.TTY.Echo {
		return WaitingSecret
	}
	return WaitingInput
}

// quiesceLimit bounds how long a program that never falls silent is waited for.
const quiesceLimit = time.Second

// quiesce waits until what the program prints on its own has been silent for
// the settle time, where the adapter asks for that.
func (d *driver) quiesce(ctx context.Context) error {
	if !d.prog.asides.quiesce {
		return nil
	}
	for end := time.Now().Add(quiesceLimit); time.Now().Before(end); {
		d.mu.Lock()
		left := d.control.policy.Settle - time.Since(d.stream.asideAt)
		d.mu.Unlock()
		if left <= 0 {
			return nil
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-d.life.dead:
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
func (d *driver) snapshot(c *command) Result {
	r := c.result
	if d.cmd == c {
		r = d.printer.reports.partial(c)
		pending := string(c.render.text.Pending()) + string(d.stream.held) + d.stream.unproven.printed()
		r.Output += pending
		r.Bytes += int64(len(pending))
		r.Screen = c.render.text.Screen()
	}
	r.CompletedBy = ByTimeout
	return r
}

// typed writes raw input while a command runs, and remembers what the terminal
// echoes of it.
func (d *driver) typed(b []byte) {
	d.printer.enqueue(job{kind: jobTyped, c: d.cmd}, d.term.Echo(b))
	d.send(string(b))
	d.cmd.line.at, d.cmd.line.to = time.Now(), d.progress.bytes
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
		st := d.snapState()
		if want(st) {
			d.printer.delivered(ctx)
			return st, nil
		}
		t.Reset(gap)
		select {
		case <-changed:
		case <-t.C:
		case <-d.life.dead:
			if st = d.snapState(); want(st) {
				return st, nil
			}
			return st, s.ended(d)
		case <-ctx.Done():
			return st, ctx.Err()
		}
	}
}
