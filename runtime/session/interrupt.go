package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// interrupts stops commands.
type interrupts struct {
	*core
	decider *decider
	viewer  *viewer
	interrupt
}

// interrupt is an interrupt in progress.
type interrupt struct {
	pending    string        // the key to send, which waits for sendPending; empty: none
	reads      int           // number of reads since
	sent       time.Time     // when the last one was sent
	unanswered bool          // no byte arrived since
	late       bool          // the first byte since then did not belong to ongoing output
	own        bool          // it went to the program itself, which was in the foreground, or to a copy of it before its exec
	children   []int         // of the program, if it was in the foreground
	unstarted  bool          // it was sent before the program had reported the start of the command
	released   bool          // the end of a line was sent after it
	heldSince  time.Time     // when the program was first seen to read the command or to start a job, for which the pending one waits; zero: it does neither
	used       time.Duration // CPU time of the program when it was requested
}

// held reports whether the pending interrupt waits until the program has read the command, or started its job.
func (i *interrupt) held() bool { return time.Since(i.heldSince) < heldLimit }

// printed notes that the program has printed something.
func (i *interrupt) printed() {
	if i.unanswered {
		i.unanswered, i.late = false, time.Since(i.sent) > stillPrinting
	}
}

// consumed reports whether the program has read the command. Before that an interrupt would reach
// its prompt instead, and the command would still run.
func (i *interrupts) consumed() bool {
	return i.control.state.SawC || !i.viewer.inFlight()
}

// beginOrDefer interrupts the command, or notes that it must be interrupted as soon as the program
// has read it and the output so far has been processed, since the command may be over. It reports
// whether the interrupt may come too early.
func (i *interrupts) beginOrDefer(c *command, key string) (early bool) {
	i.locked(func() {
		if i.cmd != c {
			return
		}
		if !i.held() {
			i.used, _ = i.term.Work()
		}
		i.pending, i.reads = key, 0
		i.decider.step(machine.Input{Kind: machine.InInterrupt})
		i.sendPending()
		early = i.pending != "" && (!i.held() || !i.control.state.SawC) || time.Since(c.line.at) < consumedLimit
		i.decider.settle()
	})
	return early
}

// pendingReads is how many reads an interrupt waits for earlier output, since some programs never
// stop printing. A terminal buffers less than that.
const pendingReads = 16

// sendPending sends the pending interrupt if it is time.
func (i *interrupts) sendPending() {
	if !i.sent.IsZero() && i.control.state.SawD {
		i.pending = "" // another would hit the prompt
	}
	if i.hold() || i.pending == "" || i.cmd == nil || !i.consumed() {
		return
	}
	if i.reads++; i.reads > pendingReads || !i.term.Readable(i.progress.bytes) {
		key := i.pending
		i.decider.step(machine.Input{Kind: machine.InInterrupt, Sent: true})
		i.deliver(key)
	}
}

// hold holds the pending interrupt if the program reads the command or starts a job, and else ends the hold. It reports
// whether the interrupt is held.
func (i *interrupts) hold() bool {
	if i.pending == "" || i.cmd == nil || !i.readsCommand() && !(i.consumed() && i.startsJob()) {
		i.heldSince = time.Time{}
	} else if i.heldSince.IsZero() {
		i.heldSince = time.Now()
	}
	return i.held()
}

// readsCommand reports whether the program may still read the command, as on a busy machine: it has hardly run since the command
// was sent. An interrupt then would make a shell drop only what it has read so far, and run the rest.
func (i *interrupts) readsCommand() bool {
	if i.control.state.SawC || i.term.Foreground() != i.term.PID() {
		return false
	}
	used, runs := i.term.Work()
	return used > 0 && used-i.cmd.line.used < jobStart && (runs || !i.consumed())
}

// jobStart is how much CPU time a shell may use from the request of an interrupt, and a child since its
// start, until they are considered not to start a job; and a program since it got a command, until it is considered to have read
// it. Both take one or two milliseconds; on a busy machine their duration has no bound.
const jobStart = 20 * time.Millisecond

// startsJob reports whether the program may be about to bring a job to the foreground. An interrupt
// would reach it instead of the job, which takes the terminal nevertheless: bash then fails to read
// from the terminal, and exits. The program may already wait for the job, which takes the terminal
// itself.
func (i *interrupts) startsJob() bool {
	if !i.prog.jobs || i.term.Foreground() != i.term.PID() {
		return false
	}
	used, runs := i.term.Work()
	return runs && used-i.used < jobStart || i.term.Forked(jobStart)
}

// heldLimit is how long an interrupt waits for a job at most, such as when the program waits for a
// slow disk.
const heldLimit = 2 * time.Second

// heldPoll is how often it is checked whether an interrupt still has to wait: a user waits for it.
const heldPoll = 2 * time.Millisecond

// Output more recent than stillPrinting belongs to a program that keeps printing; one that has been
// silent for quiet has answered the interrupt.
const (
	stillPrinting = 20 * time.Millisecond
	quiet         = 100 * time.Millisecond
)

// repeat sends an interrupt that is still pending, or repeats one that was not answered (not even
// by bytes that are still to be read), was answered only by the report of the command's start or by the
// shell in place of its job, or did not stop the program from printing. An interrupt that was not early
// is repeated only when a job missed it. It reports whether to check again later.
func (i *interrupts) repeat(key string, early bool) (again bool) {
	silent := i.unanswered && !i.term.Readable(i.progress.bytes)
	last := time.Since(i.progress.at)
	lost := !i.control.state.SawD && (i.unstarted && i.control.state.SawC || slices.Contains(i.children, i.term.Foreground()))
	switch {
	case i.pending == "" && i.keptAtPrompt(key):
		if end, _ := strings.CutPrefix(i.prog.withdrawal.Key, key); last >= quiet {
			i.released = true
			i.send(end)
		}
	case i.pending == "" && !silent && !lost && (!early || last >= quiet && i.rests()):
		return len(i.children) > 0 // one of them may still take the terminal
	case i.pending == "" && silent && i.startsJob():
		return true // on a busy machine the shell has hardly run since: its job has the interrupt, or is about to take the terminal
	case i.pending != "" || silent && (early || i.missed()) || lost && last >= quiet:
		i.decider.step(machine.Input{Kind: machine.InInterrupt, Sent: true})
		i.deliver(key)
	case i.late: // it answers; if it prints at the next check too, it keeps printing
		i.late = false
	case early && (last < stillPrinting || !i.unanswered && i.term.Readable(i.progress.bytes)): // its prompt may be in the unread output
		i.pending, i.reads = key, 0
		i.sendPending()
	}
	i.decider.settle()
	return true
}

// keptAtPrompt reports whether the program keeps the interrupt until it reads a line (prompt.continuation_escape is then the
// interrupt and the end of a line), and has not got the command's line: it waits at its prompt, without input. It reports that
// until the end of a line was sent.
func (i *interrupts) keptAtPrompt(key string) bool {
	end, with := strings.CutPrefix(i.prog.withdrawal.Key, key)
	if !with || end == "" || i.released || i.control.state.SawC || i.control.state.SawD {
		return false
	}
	r := i.term.Readiness()
	return r.State == pty.Waiting && r.Place.PID == i.term.PID() && i.term.Queued() == 0 && !i.term.Readable(i.progress.bytes)
}

// rests reports whether the program is silent because it does nothing: after a stall of the machine, or of a busy
// program, there is no output either.
func (i *interrupts) rests() bool {
	return !i.term.Readable(i.progress.bytes) && i.term.Readiness().State != pty.Busy
}

// missed reports whether the last interrupt came while a shell was about to bring a job to the
// foreground: the shell received it and ignored it, or the job did so before its exec.
func (i *interrupts) missed() bool {
	group := i.term.Foreground()
	return i.own && group > 0 && group != i.term.PID()
}

// deliver discards input that has not reached the program, and interrupts the program.
func (i *interrupts) deliver(key string) {
	i.pending, i.heldSince, i.unanswered, i.late, i.released, i.sent = "", time.Time{}, true, false, false, time.Now()
	i.own = i.term.Foreground() == i.term.PID() || i.prog.jobs && i.term.Copied(jobStart)
	if i.children = nil; i.prog.jobs && i.term.Foreground() == i.term.PID() {
		i.children = i.term.Children()
	}
	i.unstarted = !i.control.state.SawC
	i.events.report(EventSignal, []byte(key), "interrupt")
	i.interrupted()
	i.term.Interrupt(key)
}

// Interrupt interrupts the running command by the adapter's means and waits for a prompt. It
// returns the interrupted command's Result; its CompletedBy says whether the interrupt ended the
// command. Without a running command it does nothing.
//
// Errors: ErrNoInterrupt; ErrTimeout if no prompt came in time.
func (s *Session) Interrupt(ctx context.Context) (Result, error) {
	d, c, err := s.current()
	if err != nil {
		return Result{}, err
	}
	if c == nil || c.ended() {
		d.locked(func() {
			if d.cmd != nil { // a user typed it
				c = d.cmd
			}
		})
	}
	if c == nil || c.ended() {
		return s.Wait(ctx)
	}
	if d.prog.interrupt == nil {
		return Result{}, fmt.Errorf("%s: %w (signals.interrupt is null)", d.prog.name, ErrNoInterrupt)
	}
	over := make(chan struct{})
	go func() { // it is sent even if the caller leaves first
		defer close(over)
		d.interrupts.persist(c, *d.prog.interrupt)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	if d.prog.confirm != nil {
		s.confirm(ctx, d, c, *d.prog.confirm)
	}
	return s.collect(ctx, d, c)
}

// consumedLimit is how long an interrupt waits for the program to read the command, and how long a
// program may need until a command that it has read can be interrupted.
const consumedLimit = 100 * time.Millisecond

// persist sends the key as soon as the program has read the command, or after consumedLimit in any
// case. An interpreter may lose an interrupt between reading a command and running it, and a shell
// may lose one while it starts a job: an early interrupt that was answered by nothing, or only by
// more output, is repeated at growing intervals. One that waits for a job is sent after heldLimit in any
// case. persist returns when that is done, or when the program has ended.
func (i *interrupts) persist(c *command, key string) {
	withdrawn := false
	i.locked(func() { withdrawn = i.cmd == c && i.withdraws(c) })
	if !withdrawn {
		i.finish(c, key, i.beginOrDefer(c, key) || i.prog.lossy)
	}
}

// finish continues persist after the interrupt was sent or deferred.
func (i *interrupts) finish(c *command, key string, early bool) {
	begun, wait := time.Now(), consumedLimit
	i.poll(context.Background(), heldPoll, func() (done bool) {
		switch {
		case i.cmd != c:
			return true
		case i.held():
			i.sendPending()
			i.decider.settle()
			return false
		case min(time.Since(begun), time.Since(i.sent)) < wait:
			return false
		case i.hold(): // the program has read the command meanwhile, without printing anything since
			return false
		case !i.repeat(key, early):
			return true
		}
		begun, wait = time.Now(), 2*wait
		return wait == 32*consumedLimit
	})
}

// withdraws withdraws a command that a user has typed and for which the program asks for another line, if the
// adapter has an escape for that: there an interrupt would have no effect, or end the program. It reports whether
// it did.
func (i *interrupts) withdraws(c *command) bool {
	if !i.escapes(c.typed) {
		return false
	}
	c.typed.broken = true
	i.typist.prepareEscape(c.typed)
	i.decider.step(machine.Input{Kind: machine.InInterrupt, Sent: true})
	i.decider.withdraw()
	i.decider.settle()
	return true
}

// abandon withdraws a command for which the program asks for another line, as soon as the program reads it, since the
// user has left.
func (i *interrupts) abandon(c *command) {
	withdrawn := false
	i.poll(context.Background(), heldPoll, func() (done bool) {
		if i.cmd != c || !c.typed.more {
			return true
		}
		if i.term.Readiness().State == pty.Busy || i.term.Readable(i.progress.bytes) {
			return false
		}
		withdrawn = i.withdraws(c)
		return true
	})
	if key := i.prog.interrupt; !withdrawn && key != nil {
		i.persist(c, *key)
	}
}

// confirm sends the second keystroke of an interrupt when the program waits for it instead of
// showing its prompt.
func (s *Session) confirm(ctx context.Context, d *driver, c *command, key string) {
	_, err := s.WaitState(ctx, func(st State) bool { return st.Waiting != WaitingNone || c.ended() })
	if err == nil && !c.ended() {
		d.locked(func() { d.send(key) })
	}
}
