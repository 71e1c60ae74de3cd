package session

import (
	"context"
	"fmt"
	"time"

	"ripple/runtime/session/internal/machine"
)

// interrupts stops commands.
type interrupts struct {
	*core
	decider *decider
	viewer  *viewer
	interrupt
}

// interrupt is the one that is on its way.
type interrupt struct {
	owed       string    // the key, which waits for pay
	reads      int       // how often it was looked at
	sent       time.Time // the last one
	unanswered bool      // no byte came since
	late       bool      // the first byte since was no part of what was being printed
	own        bool      // it went to the program itself, which was in the foreground
}

// printed notes that the program has printed something.
func (i *interrupt) printed() {
	if i.unanswered {
		i.unanswered, i.late = false, time.Since(i.sent) > stillPrinting
	}
}

// taken says that the program has read the command; before that an interrupt
// would hit its prompt, and the command would run all the same.
func (i *interrupts) taken() bool {
	return i.control.state.SawC || !i.viewer.onItsWay()
}

// beginOrOwe interrupts the command, or notes that it has to be interrupted as
// soon as it has been taken and what the program has printed has been read: the
// command may be over. It tells whether the interrupt may come too early.
func (i *interrupts) beginOrOwe(c *command, key string) (early bool) {
	i.locked(func() {
		if i.cmd != c {
			return
		}
		i.owed, i.reads = key, 0
		i.decider.step(machine.Input{Kind: machine.InInterrupt})
		i.pay()
		early = i.owed != "" || time.Since(c.line.at) < takenLimit
		i.decider.settle()
	})
	return early
}

// owedReads is how many reads an interrupt waits for what was printed before it,
// for there are programs that never stop printing; a terminal holds less.
const owedReads = 16

// pay sends the interrupt that is owed, if it is time.
func (i *interrupts) pay() {
	if !i.sent.IsZero() && i.control.state.SawD {
		i.owed = "" // another would hit the prompt
	}
	if i.owed == "" || i.cmd == nil || !i.taken() {
		return
	}
	if i.reads++; i.reads > owedReads || !i.term.Readable(i.progress.bytes) {
		key := i.owed
		i.decider.step(machine.Input{Kind: machine.InInterrupt, Sent: true})
		i.deliver(key)
	}
}

// Output as recent as stillPrinting is that of a program which goes on printing;
// one that has been silent for quiet has answered the interrupt.
const (
	stillPrinting = 20 * time.Millisecond
	quiet         = 100 * time.Millisecond
)

// repeat sends an interrupt that is still owed, or repeats one that nothing
// has answered, not even with bytes that are still to be read, or that has not kept
// the program from printing. One that did not come early is repeated only when a job
// missed it. It tells whether to look again later.
func (i *interrupts) repeat(c *command, key string, early bool) (again bool) {
	i.locked(func() {
		silent := i.unanswered && !i.term.Readable(i.progress.bytes)
		last := time.Since(i.progress.at)
		again = i.cmd == c && (i.owed != "" || silent || early && last < quiet)
		switch {
		case !again:
		case i.owed != "" || silent && (early || i.missed()):
			i.decider.step(machine.Input{Kind: machine.InInterrupt, Sent: true})
			i.deliver(key)
		case i.late: // it answers; when it prints at the next look too, it goes on printing
			i.late = false
		case early && last < stillPrinting: // its prompt may be among what is not read yet
			i.owed, i.reads = key, 0
			i.pay()
		}
		i.decider.settle()
	})
	return again
}

// missed says that the last interrupt came while a shell was about to bring a job to
// the foreground: the shell had it, for which it means nothing then.
func (i *interrupts) missed() bool {
	group := i.term.Foreground()
	return i.own && group > 0 && group != i.term.PID()
}

// deliver discards what has not reached the program and interrupts it.
func (i *interrupts) deliver(key string) {
	i.owed, i.unanswered, i.late, i.sent = "", true, false, time.Now()
	i.own = i.term.Foreground() == i.term.PID()
	i.events.tell(EventSignal, []byte(key), "interrupt")
	i.term.Interrupt(key)
}

// Interrupt interrupts the running command by the adapter's means and waits
// until a prompt came back. It returns the interrupted command's Result, whose
// CompletedBy says whether the interrupt ended it. With nothing running it does
// nothing.
//
// Errors: ErrNoInterrupt; ErrTimeout when no prompt came back in time.
func (s *Session) Interrupt(ctx context.Context) (Result, error) {
	s.mu.Lock()
	d, c := s.drv, s.running
	s.mu.Unlock()
	if c == nil || c.ended() {
		d.locked(func() {
			if d.cmd != nil { // a person typed it
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
	d.interrupts.persist(ctx, c, *d.prog.interrupt)
	if d.prog.confirm != nil {
		s.confirm(ctx, d, c, *d.prog.confirm)
	}
	return s.collect(ctx, d, c)
}

// takenLimit is how long an interrupt waits for the command to be taken, and
// how long a program may need until a command that it has taken can be
// interrupted.
const takenLimit = 100 * time.Millisecond

// persist sends the key as soon as the command has been taken, or after
// takenLimit whatever happened to it. An interpreter may lose an interrupt
// between reading a command and running it, and a shell while it starts a job: to one
// that came so early and was answered by nothing at all, or by nothing but more
// output, more are sent, ever less often.
func (i *interrupts) persist(ctx context.Context, c *command, key string) {
	early := i.beginOrOwe(c, key)
	t := time.NewTimer(takenLimit)
	defer t.Stop()
	for wait := 2 * takenLimit; wait <= 32*takenLimit; wait *= 2 {
		select {
		case <-t.C:
			if !i.repeat(c, key, early) {
				return
			}
			t.Reset(wait)
		case <-c.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// confirm sends the second keystroke of an interrupt once the program waits
// for it instead of showing its prompt.
func (s *Session) confirm(ctx context.Context, d *driver, c *command, key string) {
	_, err := s.WaitState(ctx, func(st State) bool { return st.Waiting != WaitingNo || c.ended() })
	if err == nil && !c.ended() {
		d.locked(func() { d.send(key) })
	}
}
