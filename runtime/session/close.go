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
// program's state is lost. Restarts at the same time follow each other. A closed session stays closed: ErrClosed.
func (s *Session) Restart(ctx context.Context) error { return s.restart(ctx, nil) }

// restart is Restart. It does nothing if another one has already replaced the program that the caller has seen; nil: any.
func (s *Session) restart(ctx context.Context, seen *driver) error {
	select {
	case _, left := <-s.change:
		if !left {
			return ErrClosed
		}
		defer func() { s.change <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	old, closed := s.drv, s.closed
	s.abort = cancel
	s.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case seen != nil && seen != old:
		return nil
	}
	d, err := s.replace(ctx, old)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil: // if the session was closed in the meantime, Close ends it
		s.drv, s.running, s.idle = d, nil, time.Now()
	case s.closed:
		return errors.Join(ErrClosed, err)
	}
	return err
}

// replace ends the program of old and starts another one.
func (s *Session) replace(ctx context.Context, old *driver) (*driver, error) {
	if err := old.close(ctx); err != nil {
		return nil, err
	}
	b, err := Prestart(s.adapter, s.options)
	if err != nil {
		return nil, err
	}
	return start(ctx, b, s.options)
}

// Close ends the program: first politely by lifecycle.shutdown, then by signals; then it ends every
// process that the program left behind, and removes the session's files. It returns when all of
// them are gone, or reports the processes that survived. The context bounds the polite part only.
// A restart in progress is ended, too. Closing a session twice is not an error: the second call waits for the first.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.abort()
	s.mu.Unlock()
	if _, left := <-s.change; !left {
		return nil
	}
	defer close(s.change)
	return s.driver().close(ctx)
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
