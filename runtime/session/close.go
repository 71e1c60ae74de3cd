package session

import (
	"context"
	"errors"
	"syscall"
	"time"

	"ripple/runtime/proctree"
	"ripple/runtime/session/internal/machine"
)

// defaultGrace is how long a program may take after lifecycle.shutdown.command,
// when the adapter declares no grace_ms.
const defaultGrace = time.Second

// forceSignals are the values of lifecycle.shutdown.force_signal.
var forceSignals = map[string]syscall.Signal{
	"": syscall.SIGKILL, "kill": syscall.SIGKILL, "term": syscall.SIGTERM,
	"hup": syscall.SIGHUP, "int": syscall.SIGINT, "quit": syscall.SIGQUIT,
}

// How long processes may take to act on a hang-up and on SIGTERM, and how long
// we go on killing what does not die.
const (
	hangupGrace = 100 * time.Millisecond
	termGrace   = 200 * time.Millisecond
	killLimit   = 5 * time.Second
)

// Restart ends the program, if it still runs, and starts it anew with the same
// options. State of the old one is gone. A session that was closed stays closed:
// ErrClosed.
func (s *Session) Restart(ctx context.Context) error {
	s.mu.Lock()
	old, closed := s.drv, s.closed
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	if err := old.close(ctx); err != nil {
		return err
	}
	b, err := Begin(s.adapter, s.options)
	if err != nil {
		return err
	}
	drv, err := start(ctx, b, s.options)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if closed = s.closed; !closed {
		s.drv, s.running, s.idle = drv, nil, time.Now()
	}
	s.mu.Unlock()
	if closed { // meanwhile
		return errors.Join(ErrClosed, drv.close(ctx))
	}
	return nil
}

// Close ends the program: politely by lifecycle.shutdown, then by signals, then
// everything it left behind; and removes the session's files. It returns when
// all are gone or reports the processes that resisted. The context bounds the
// polite part only. Closing twice is no error.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	d, closed := s.drv, s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	return d.close(ctx)
}

// close ends the program and what it started, and removes the session's files.
// When the program went politely and left nobody, no signal is sent.
func (d *driver) close(ctx context.Context) error {
	d.term.Remember()
	d.politely(ctx)
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	err := d.term.Close(limit, d.prog.ending.steps()...)
	<-d.life.dead
	d.locked(func() {
		d.alarm.stop()
	})
	d.scratch.Remove()
	return err
}

// steps are the signals for whoever is left after the polite part.
func (s *shutdown) steps() []proctree.Step {
	force := forceSignals[s.force]
	steps := []proctree.Step{{Signal: syscall.SIGHUP, Grace: hangupGrace}}
	if force != syscall.SIGKILL && force != syscall.SIGHUP {
		return append(steps, proctree.Step{Signal: force, Grace: termGrace})
	}
	return append(steps, proctree.Step{Signal: syscall.SIGTERM, Grace: termGrace})
}

// takeLate takes what no command will be given any more. Both locks are held.
func (p *printer) takeLate(usual int) (kept string) {
	kept, passed := p.asides.take(usual)
	p.out.aside = append(p.out.aside, passed...)
	return kept
}

// politely asks the program to end, when it is at its prompt, and waits for it
// as long as the adapter's grace and the context allow.
func (d *driver) politely(ctx context.Context) {
	end := &d.prog.ending
	asked := false
	d.readRest()
	due := d.printer.catchUp(func() {
		d.status.late = d.printer.takeLate(d.detect.usual)
		d.stream.leaving = true
		if d.control.state.Step == machine.StepReady && end.command != "" {
			d.stream.region = regionIdle
			d.send(end.command + d.prog.input.ending)
			asked = true
		}
	})
	if due {
		d.printer.passOn()
	}
	if !asked {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, end.grace)
	defer cancel()
	select {
	case <-d.life.dead:
	case <-ctx.Done():
	}
}
