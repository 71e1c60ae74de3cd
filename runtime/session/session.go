// Package session drives one interactive program: it starts the program that an adapter describes
// in a PTY, sends it code, and reports the result of each piece of code when it has ended.
//
// The main path is Open, then Eval for each command, then Close:
//
//	s, err := session.Open(ctx, adapter, session.Options{})
//	…
//	defer s.Close(ctx)
//	r, err := s.Eval(ctx, "1 + 1")
//
// Inside, one driver (driver.go) reads the program and keeps the order; the program's state, under
// one lock, is its core (core.go).
// A byte of output passes through eight steps on its way to the Result:
//
//	terminal  driver.take     read from the program
//	detect    detector.pieces text is separated from the markers that announce prompts
//	classify  stream.text     startup, a prompt, between commands, or output
//	          prelude.feed    the echo before an announced beginning of output
//	          printer.enqueue work leaves the lock here
//	strip     stripper.feed   the echo of the input is removed
//	render    renderer.feed   overwritten text is resolved
//	keep      spool.write     text is kept in the Result, or in its file
//
// No stage calls another: each returns its result. Between two pieces of the stream a pure machine
// decides (internal/machine), and effects.go carries out its decisions. The adapter's description
// of all this is compiled once (program.go). Waits end on evidence: an authenticated marker, a
// prompt while the kernel reports that the program waits for input (kernel.go), or the program's
// end.
//
// A deadline never loses a session: if Eval's context ends first, the caller gets the output so far
// and ErrTimeout, the command continues, and the caller can use Wait or Interrupt.
package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"example.org/ripple/schema"
)

// Session is one running program. Its methods may be called from several goroutines; commands run
// one after another. After Close all methods that return errors return ErrClosed, except Close itself and the wait for a command
// that Submit sent before.
type Session struct {
	adapter *schema.Adapter
	options Options

	slot   chan struct{} // a semaphore: the holder of its token may start a command
	change chan struct{} // a semaphore: the holder of its token may replace the program; Close keeps it, and closes the channel

	mu      sync.Mutex
	drv     *driver
	running *command // the latest command whose result has not been collected
	idle    time.Time
	closed  bool
	abort   func() // ends the latest restart, if it is not over
}

// Open starts the adapter's program and returns at its first prompt. The adapter comes from
// schema.Load or a registry. The context bounds the start; without a deadline Open waits as long as
// the program takes.
//
// Errors: ErrAgent for family agent; *launch.MissingError if no executable was found; *StartError
// if no prompt came.
func Open(ctx context.Context, a *schema.Adapter, o Options) (*Session, error) {
	b, err := Prestart(a, o)
	if err != nil {
		return nil, err
	}
	return b.Open(ctx, o)
}

// Open is like [Open] for an already started program; options that Prestart uses are ignored. If the
// program does not reach its prompt it is ended.
func (b *Pending) Open(ctx context.Context, o Options) (*Session, error) {
	a := b.adapter
	o.began = b.at
	drv, err := start(ctx, b, o)
	if err != nil {
		return nil, err
	}
	s := &Session{adapter: a, options: o, drv: drv, slot: make(chan struct{}, 1), change: make(chan struct{}, 1), idle: time.Now(), abort: func() {}}
	s.slot <- struct{}{}
	s.change <- struct{}{}
	return s, nil
}

// Eval runs code, which may have several lines, and returns when it has ended. Evals at the same time wait for each other.
//
// Errors: ErrIncompleteInput (with *IncompleteError) for code that is not complete; ErrTimeout
// (with *TimeoutError) if the context ended first, with the output so far in the Result; ErrBusy
// while such a command, or one of Submit, still runs; ErrTyping while a user types at the prompt; ErrExited (with
// *ExitError) if the program ended, with its last output; ErrClosed.
func (s *Session) Eval(ctx context.Context, code string) (Result, error) {
	select {
	case <-s.slot:
		defer func() { s.slot <- struct{}{} }()
	case <-ctx.Done():
		return unsent(ctx)
	}
	d, c, r, err := s.begin(ctx, code)
	if c == nil {
		return r, err
	}
	return s.collect(ctx, d, c)
}

// Submit is Eval in two parts: it returns when the code was sent or refused, and wait returns the
// results of Eval. A concurrent Submit fails with ErrBusy.
//
// Errors: ErrBusy, ErrTyping; wait returns all others.
func (s *Session) Submit(ctx context.Context, code string) (wait func(context.Context) (Result, error), err error) {
	select {
	case <-s.slot:
		defer func() { s.slot <- struct{}{} }()
	default:
		return nil, ErrBusy
	}
	d, c, r, unsent := s.begin(ctx, code)
	switch {
	case errors.Is(unsent, ErrBusy), errors.Is(unsent, ErrTyping):
		return nil, unsent
	case c == nil: // the closure must not use the result err, which this return sets to nil
		return func(context.Context) (Result, error) { return r, unsent }, nil
	}
	return func(ctx context.Context) (Result, error) { return s.collect(ctx, d, c) }, nil
}

// begin sends code. If it returns no command, the Result or the error is final.
func (s *Session) begin(ctx context.Context, code string) (d *driver, c *command, r Result, err error) {
	if at, limited := ctx.Deadline(); limited && !time.Now().Before(at) {
		<-ctx.Done() // on a busy machine the context's timer fires after its deadline
	}
	if ctx.Err() != nil {
		r, err = unsent(ctx)
		return nil, nil, r, err
	}
	if d, err = s.usable(ctx); err != nil {
		return d, nil, r, err
	}
	if d.prog.input.skipEmpty && strings.TrimSpace(code) == "" && !d.isDead() {
		return d, nil, d.viewer.unchanged(), nil
	}
	if d.viewer.quiesce(ctx) != nil {
		r, err = unsent(ctx)
		return d, nil, r, err
	}
	d.viewer.findHome(ctx)
	p, err := d.sender.builder().build(code)
	if err != nil {
		r = d.viewer.unchanged()
		r.CompletedBy = "" // nothing was sent
		return d, nil, r, err
	}
	if c, err = d.typist.submit(p); err == nil && c == nil {
		err = s.ended(d)
	}
	if c != nil {
		s.mu.Lock()
		s.running = c
		s.mu.Unlock()
	}
	return d, c, r, err
}

// unsent returns the result of a command that was not sent in time.
func unsent(ctx context.Context) (Result, error) {
	late := &TimeoutError{Err: ctx.Err(), Unsent: true}
	return Result{CompletedBy: ByTimeout}, late
}

// usable returns the driver that can accept a command: the current one, or a new one if the
// adapter's restart policy and the options allow that.
func (s *Session) usable(ctx context.Context) (*driver, error) {
	d, running, err := s.current()
	s.mu.Lock()
	idle := time.Since(s.idle)
	s.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case running != nil && !running.ended():
		return nil, ErrBusy
	case !s.options.Restart:
		return d, nil
	}
	when := &d.prog.restart
	crashed := d.isDead() && when.crashed
	stale := when.idle > 0 && idle > when.idle
	if !crashed && !stale {
		return d, nil
	}
	if err := s.restart(ctx, d); err != nil {
		return nil, err
	}
	d = s.driver()
	d.locked(func() { d.restarted = true })
	return d, nil
}

// collect waits for a command and returns its result.
func (s *Session) collect(ctx context.Context, d *driver, c *command) (Result, error) {
	select {
	case <-c.done:
	case <-ctx.Done():
		var r Result
		late := &TimeoutError{Err: ctx.Err()}
		d.readRest()
		d.locked(func() {
			if d.cmd == c {
				late.Waiting, late.Withdrawal, late.Stopped = d.viewer.waiting().Waiting, c.facts.withdrawal, d.viewer.stopped()
			}
		})
		d.printer.upToDate(func() { r = d.viewer.snapshot(c) })
		if !c.ended() {
			return r, late
		}
	}
	s.mu.Lock()
	if s.running == c {
		s.running = nil
	}
	s.idle = time.Now()
	s.mu.Unlock()
	return c.result, c.err
}

// Wait continues to wait for the command whose Eval timed out. Without one it returns an empty
// Result.
func (s *Session) Wait(ctx context.Context) (Result, error) {
	d, c, err := s.current()
	if c == nil {
		return Result{}, err
	}
	return s.collect(ctx, d, c)
}

// Send writes input to the running command as if it were typed; a line needs its line ending. The
// terminal's echo of it is not part of the output. The interrupt key alone, for a shell that does not answer it at its
// prompt or a program whose prompt is printed by the code that is sent, waits until the program has read the command, and is
// repeated if it is lost. Ctrl-C alone withdraws a command that a user has
// typed if the program asks for another line of it and the adapter has a prompt.continuation_escape.
//
// Errors: ErrIdle if no command runs.
func (s *Session) Send(ctx context.Context, input []byte) error {
	d, _, err := s.current()
	if err != nil {
		return err
	}
	err = ErrIdle
	var interrupted *command
	d.locked(func() {
		if d.cmd != nil && string(input) == "\x03" {
			d.typist.dropDraft(0) // of the next line of the command
		}
		switch {
		case d.cmd == nil:
			return
		case string(input) == "\x03" && d.interrupts.withdraws(d.cmd):
		case d.prog.silentlyInterrupted() && string(input) == *d.prog.interrupt && d.term.Interrupts():
			interrupted = d.cmd
		default:
			d.sender.typed(input)
		}
		err = nil
	})
	if interrupted != nil { // as a key it would make the terminal discard a line that the program has not read
		early := d.interrupts.beginOrDefer(interrupted, string(input))
		go d.interrupts.finish(interrupted, string(input), early)
	}
	if err != nil && d.isDead() {
		return s.ended(d)
	}
	return errors.Join(err, ctx.Err())
}

// TrailingOutput returns the program's output after its last command and before Close, if Options.OutOfBand
// has not received it.
func (s *Session) TrailingOutput() string {
	d := s.driver()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status.late
}

// State returns a snapshot of the session. It asks the kernel whether a running program waits for
// input.
func (s *Session) State() State { return s.driver().viewer.state() }

// Resize changes the terminal's size, in character cells.
func (s *Session) Resize(cols, rows int) error {
	d, _, err := s.current()
	if err != nil {
		return err
	}
	return d.resize(cols, rows)
}

// Signal sends a signal to the program's foreground process group.
func (s *Session) Signal(sig os.Signal) error {
	d, _, err := s.current()
	if err != nil {
		return err
	}
	return d.signal(sig)
}

// Done returns a channel that is closed when the current program has ended.
func (s *Session) Done() <-chan struct{} { return s.driver().life.dead }

// current returns the program and the latest command whose result has not been collected, or ErrClosed.
func (s *Session) current() (d *driver, running *command, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, ErrClosed
	}
	return s.drv, s.running, nil
}

// driver returns the program, also that of a closed session.
func (s *Session) driver() *driver {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drv
}

// ended returns the error of a session whose program has ended.
func (s *Session) ended(d *driver) error {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.life.failure != nil:
		return d.life.failure
	case closed || d.life.exit == nil:
		return ErrClosed
	}
	return d.life.exit
}
