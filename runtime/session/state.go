package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// viewer reports the state of the program and of the running command.
type viewer struct {
	*core
	flow *flow
}

func (v *viewer) state() State {
	var st State
	ran := false
	v.locked(func() {
		ran = v.cmd != nil
		ready := !ran && v.control.state.Step == machine.StepReady
		if ran || ready {
			st.Stopped = v.stopped()
		}
		switch {
		case ran && st.Stopped == nil:
			st = v.waiting()
		case ran && v.hidden():
			st.Waiting = WaitingSecret
		case ready && !v.typist.typing():
			v.kernel.learnHome()
		}
		st.Typing = v.typist.typing()
		st.TypingUser = v.typist.whose()
	})
	v.printer.upToDate(func() {
		st.Held, st.LateSecrets = v.typist.held.counts(v.typist.draft.who), v.typist.held.lateSecrets()
		st.Phase, st.Mode, st.Level, st.Cwd, st.PID, st.MissingService = v.phase(), v.status.mode, v.status.level, v.status.cwd, v.term.PID(), v.status.needs
		if v.cmd == nil {
			st.Waiting, st.NeedsInput, st.WaitsElsewhere, st.EchoHint = WaitingNone, false, false, EchoHintNone
			if ran { // it has ended
				st.Stopped = nil
			}
			return
		}
		st.Partial = v.snapshot(v.cmd).Output
	})
	return st
}

// unchanged returns the result of a command that is not sent: the session is unchanged.
func (v *viewer) unchanged() (r Result) {
	v.locked(func() {
		r = Result{Cwd: v.status.cwd, Mode: v.status.mode, Level: v.status.level, CompletedBy: ByPrompt}
	})
	return r
}

// silentFlight is how long after sending input a program that still waits may be waiting for that
// very input, if it has printed nothing since, the terminal does not echo, and nothing shows that it
// has not woken since. If it has printed something, machine.InFlight is enough.
const silentFlight = consumedLimit

// keyTimeout is how long to wait for the effect of a key that should wake the program: on a busy
// machine the terminal itself may need a second to deliver it. Some keys only affect the terminal.
const keyTimeout = 5 * time.Second

// inFlight reports whether the latest input may not have reached the program. A terminal echoes
// input that it delivers. Without an echo a line is on its way as long as the program sleeps as it did
// when the line was sent; if that is unknown, only the time counts.
func (v *viewer) inFlight() bool {
	c := v.cmd
	passed := time.Since(c.line.at)
	switch {
	case c.prelude.expected, v.term.Queued() > 0, passed < machine.InFlight:
		return true
	case c.line.wait != 0 && v.kernel.waitNow() == c.line.wait:
		return passed < keyTimeout
	case c.line.wait != 0 && !c.line.silent:
		return false
	case v.progress.bytes > c.line.to:
		return false
	}
	modes, err := v.term.Modes()
	return err == nil && (modes.Echoes() || passed < silentFlight)
}

// prompting reports whether the displayed text, or one that is not displayed, may be a prompt that is being confirmed.
func (v *viewer) prompting() bool {
	switch v.control.state.Evidence {
	case machine.EvidenceNone:
		return false
	case machine.EvidenceElsewhere:
		return v.kernel.atHiddenPrompt(v.term.Readiness())
	}
	return true
}

// pollingSilence is how long a program that waits for input with a timeout must print nothing before
// it is considered to wait: one that checks for a key between two frames draws.
const pollingSilence = 300 * time.Millisecond

// stopped returns the stopped process of the program; nil: none.
func (v *viewer) stopped() *Process {
	p := v.term.Stopped()
	if p.PID == 0 {
		return nil
	}
	return &p
}

// hidden reports whether a running command that is stopped may have been asking for a secret: the
// terminal does not echo, or the command was seen asking for a secret that nobody has entered.
// Programs such as sudo switch the echo on before they stop.
func (v *viewer) hidden() bool {
	modes, err := v.term.Modes()
	return v.cmd.secret || err == nil && !modes.Echoes() && (v.cmd.hides || modes.Canonical() && v.plan.TTY.Echo)
}

// waiting reports whether the running command reads the terminal: a secret if the terminal edits
// lines with its echo off. If it does, or may, the unfinished line at which it waits is output.
func (v *viewer) waiting() State {
	if v.inFlight() || v.prompting() {
		return State{}
	}
	st := v.reads()
	switch {
	case st.Waiting == WaitingSecret, st.EchoHint == EchoHintOff:
		v.cmd.secret = true
	case st.Waiting == WaitingInput, st.EchoHint == EchoHintOn: // a program that does not wait may be about to stop
		v.cmd.secret = false
	}
	return st
}

// reads is waiting for a command whose input and output have been processed.
func (v *viewer) reads() (st State) {
	r := v.term.Readiness()
	polls := v.kernel.pollsElsewhere(r) && (v.kernel.hides() || time.Since(v.progress.at) > pollingSilence)
	if r.State != pty.Waiting && !polls && !r.Hidden || v.term.Readable(v.progress.bytes) {
		return st
	}
	v.flow.pass(v.stream.flush())
	v.printer.enqueue(job{kind: jobShow, c: v.cmd}, nil)
	modes, err := v.term.Modes()
	switch {
	case r.Hidden && err == nil:
		return v.unseen(modes)
	case r.Hidden:
		return st
	}
	if r = v.term.Readiness(); r.State != pty.Waiting && !polls {
		return st // it has been woken
	}
	st.Waiting, st.WaitsElsewhere = WaitingInput, polls || v.kernel.isElsewhere(r, v.term.PID(), v.control.state.SawC)
	st.NeedsInput = r.Only || r.Notices && st.WaitsElsewhere && r.PID == v.term.PID()
	edited := v.cmd.hides && st.WaitsElsewhere && (r.Place.PID == v.term.PID() || polls && r.Polls.PID == v.term.PID())
	if err == nil && !modes.Echoes() && (edited || modes.Canonical() && v.plan.TTY.Echo) {
		st.Waiting = WaitingSecret
	}
	return st
}

// unseen returns the state of a sleeping program that the kernel reports nothing about, according
// to the terminal's modes. A program that turns the echo off asks for a secret. One that also turns
// off signals, like sudo, passes input on to a terminal of its own, where the question is unknown.
func (v *viewer) unseen(modes pty.Modes) (st State) {
	st.EchoHint = EchoHintOn
	if modes.Echoes() {
		return st
	}
	st.EchoHint = EchoHintOff
	if modes.Signals() && v.plan.TTY.Echo {
		st.Waiting, st.NeedsInput = WaitingSecret, true
	}
	return st
}

// quiesceLimit bounds the wait for a program that never falls silent.
const quiesceLimit = time.Second

// quiesce waits until the program's unsolicited output has been silent for the settle time, if the
// adapter requests that.
func (v *viewer) quiesce(ctx context.Context) error {
	if !v.prog.unsolicited.quiesce {
		return nil
	}
	for end := time.Now().Add(quiesceLimit); time.Now().Before(end); {
		v.mu.Lock()
		left := v.control.policy.Settle - time.Since(v.stream.unsolicitedAt)
		v.mu.Unlock()
		if left <= 0 {
			return nil
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-v.life.dead:
			t.Stop()
			return nil // submitting reports it
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
	return nil
}

// arrivalLimit bounds the wait for a program that has printed its prompt and does not read yet.
const arrivalLimit = 100 * time.Millisecond

// findHome waits until the program reads at its prompt, which distinguishes that read from those of
// the next command. A prompt may be seen before its program waits for input, above all on a busy
// machine. Where the kernel cannot tell, it does not wait.
func (v *viewer) findHome(ctx context.Context) {
	began := time.Now()
	v.poll(ctx, longestPoll, func() (done bool) {
		atPrompt := v.cmd == nil && v.control.state.Step == machine.StepReady && !v.typist.typing()
		return !atPrompt || !v.kernel.learnHome() || time.Since(began) >= arrivalLimit
	})
}

// snapshot returns the result so far of a command whose end has not been reported yet, for
// upToDate.
func (v *viewer) snapshot(c *command) Result {
	r := c.result
	if v.cmd == c {
		r = v.printer.reports.partial(c)
		pending := string(c.render.text.Pending()) + string(v.stream.held) + v.stream.unconfirmed.printed()
		r.Output += pending
		r.Bytes += int64(len(pending))
		r.Screen = c.render.text.Screen()
	}
	r.CompletedBy = ByTimeout
	return r
}

func (d *driver) resize(cols, rows int) error {
	if cols <= 0 || rows <= 0 {
		return fmt.Errorf("the terminal's columns and rows must be positive, not %d×%d", cols, rows)
	}
	var err error
	d.locked(func() {
		err = d.term.Resize(cols, rows)
		d.events.report(EventResize, nil, fmt.Sprintf("%dx%d", cols, rows))
	})
	return err
}

func (d *driver) signal(sig os.Signal) error {
	var err error
	d.locked(func() {
		d.events.report(EventSignal, nil, sig.String())
		err = d.term.Signal(sig)
	})
	return err
}

// WaitState returns as soon as want is true for the session's state; it checks again on every
// change and periodically. Output printed before that state has been passed to Options.Output when
// it returns, so Output itself must not call it. The error is the context's, ErrExited or ErrClosed.
func (s *Session) WaitState(ctx context.Context, want func(State) bool) (st State, err error) {
	d, _, err := s.current()
	if err != nil {
		return s.State(), err
	}
	met := d.wait(ctx, longestPoll, func() bool {
		st = d.viewer.state()
		return want(st)
	})
	switch {
	case met:
		d.printer.delivered(ctx)
		return st, nil
	case ctx.Err() != nil:
		return st, ctx.Err()
	}
	return st, s.ended(d)
}
