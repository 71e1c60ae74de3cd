package session

import (
	"context"
	"errors"
	"syscall"
	"time"

	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/session/internal/machine"
)

// defaultGrace is how long a program may take to exit after lifecycle.shutdown.command if the
// adapter declares no grace_ms.
const defaultGrace = time.Second

// forceSignals are the values of lifecycle.shutdown.force_signal.
var forceSignals = map[string]syscall.Signal{
	"": syscall.SIGKILL, "kill": syscall.SIGKILL, "term": syscall.SIGTERM,
	"hup": syscall.SIGHUP, "int": syscall.SIGINT, "quit": syscall.SIGQUIT,
}

// How long processes may take to react to a hang-up and to SIGTERM, and how long to keep killing
// processes that survive.
const (
	hangupGrace = 100 * time.Millisecond
	termGrace   = 200 * time.Millisecond
	killLimit   = 5 * time.Second
)

// Restart ends the program if it still runs, and starts it again with the same options. The old
// program's state is lost. A closed session stays closed: ErrClosed.
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
	b, err := Prestart(s.adapter, s.options)
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
	if closed { // in the meantime
		return errors.Join(ErrClosed, drv.close(ctx))
	}
	return nil
}

// Close ends the program: first politely by lifecycle.shutdown, then by signals; then it ends every
// process that the program left behind, and removes the session's files. It returns when all of
// them are gone, or reports the processes that survived. The context bounds the polite part only.
// Closing a session twice is not an error.
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

// close ends the program and the processes that it started, and removes the session's files. No
// signal is sent if the program exited politely and left no processes.
func (d *driver) close(ctx context.Context) error {
	d.term.RecordMembers()
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

// steps returns the signals for processes that are left after the polite part.
func (s *shutdown) steps() []proctree.Step {
	force := forceSignals[s.force]
	steps := []proctree.Step{{Signal: syscall.SIGHUP, Grace: hangupGrace}}
	if force != syscall.SIGKILL && force != syscall.SIGHUP {
		return append(steps, proctree.Step{Signal: force, Grace: termGrace})
	}
	return append(steps, proctree.Step{Signal: syscall.SIGTERM, Grace: termGrace})
}

// takeLate takes output that no later command will report. Both locks are held.
func (p *printer) takeLate(usual int) (kept string) {
	kept, passed := p.unsolicited.take(usual)
	p.out.unsolicited = append(p.out.unsolicited, passed...)
	return kept
}

// politely asks the program to exit if it is at its prompt, and waits for that as long as the
// adapter's grace period and the context allow.
func (d *driver) politely(ctx context.Context) {
	end := &d.prog.ending
	asked := false
	d.readRest()
	due := d.printer.catchUp(func() {
		d.status.late = d.printer.takeLate(d.detect.usual)
		d.stream.leaving = true
		d.life.hungUp = d.cmd != nil
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
