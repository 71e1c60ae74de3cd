package session

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"time"

	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/runtime/terminal"
	"example.org/ripple/schema"
)

// openTerminal opens the session's side of the program's terminal.
func (d *driver) openTerminal(tty *pty.PTY, replies []schema.TTYReply) {
	o := terminal.Options{Replies: replies, QueryAbandoned: d.gone, Pause: d.prog.input.pause, OwnsOrphans: d.options.OwnsOrphans, Screen: d.options.OnTerminal != nil}
	o.OnFault = func(f terminal.Fault) { d.faults.add(fault.Fault(f)) }
	if d.events.watched() {
		o.OnRead, o.OnWrite = d.wasRead, func(b []byte) { d.events.report(EventWrite, b, "") }
	}
	for _, name := range []string{"nonce_short", "nonce"} { // the second one begins with the first
		if v := d.plan.Values[name]; d.prog.prompts.literals != nil && strings.Contains(d.plan.Values["marker"], v) {
			o.HiddenText = v // users need not see it in the prompt
		}
	}
	t := d.plan.TTY
	d.term = terminal.New(tty, pty.Size{Cols: t.Cols, Rows: t.Rows}, o)
	d.kernel.term, d.kernel.events = d.term, &d.events
	if d.options.OnTerminal != nil {
		d.options.OnTerminal(d.term)
	}
}

// gone reports whether a command that sent the terminal a query has ended: the output since then
// contains a marker of this session. The reply would reach the line editor. In a terminal that ripple itself has made pass on
// single keys, it also reports whether the command does not read, such as cat of a file with queries.
func (d *driver) gone(since []byte, taken int64) (gone bool) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for began := time.Now(); ; {
		decided := false
		d.locked(func() { gone, decided = d.abandoned(since, taken, time.Since(began)) })
		if decided {
			return gone
		}
		timer.Reset(firstPoll)
		select {
		case <-timer.C:
		case <-d.term.Done():
			return true
		}
	}
}

const (
	// replyGrace is how long a command that has sent a query may take to read, if nothing else shows that it will.
	replyGrace = 100 * time.Millisecond
	// longestUnread is how much a command may print after such a query and before it reads, in bytes.
	longestUnread = 2 << 10
)

// abandoned is gone without the wait for a command that may be about to read, or to end: it is undecided then.
func (d *driver) abandoned(since []byte, taken int64, passed time.Duration) (gone, decided bool) {
	marker := d.plan.Values["nonce"]
	if d.prog.prompts.literals != nil {
		marker = d.plan.Values["marker"]
	}
	switch {
	case d.control.state.Step != machine.StepRunning, d.control.state.SawD:
		return false, true
	case (d.prog.prompts.markers != nil || d.prog.prompts.literals != nil) && bytes.Contains(since, []byte(marker)):
		return true, true
	case d.plan.TTY.Canonical, !pty.Tells:
		return false, true
	}
	r := d.term.Readiness()
	own := d.term.ModesChanged() // by a program that reads keys, or by the program's own line editor before its prompt
	switch {
	case d.term.Readable(taken): // it is asked again with that output
		return !own && len(since) > longestUnread, true
	case r.State == pty.Waiting, r.Listens, r.Timed, r.Hidden:
		return false, true
	}
	return !own, passed > replyGrace
}

// longestRead is how much output is taken at once. It is less in tests only.
var longestRead = math.MaxInt

// read reads the program's output until its end, at most longest bytes at once.
func (d *driver) read(longest int) {
	d.ends(d.term.Run(func(b []byte) {
		for ; len(b) > 0; b = b[min(len(b), longest):] {
			if d.happened(func() { d.take(b[:min(len(b), longest)]) }) {
				runtime.Gosched() // let the goroutines that were woken run before this thread blocks in the kernel
			}
			d.printer.await()
		}
	}))
}

// wasRead reports a read to an observer.
func (d *driver) wasRead(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.detect.injected == nil || !d.prog.unmirrored {
		d.events.report(EventRead, b, "")
	}
}

// take processes one read.
func (d *driver) take(b []byte) {
	d.progress.bytes, d.progress.at = d.progress.bytes+int64(len(b)), time.Now()
	d.interpret(b)
	d.interrupts.sendPending()
}

// hangup is the exit code of a command that SIGHUP has ended.
const hangup = 128 + int(syscall.SIGHUP)

// ends handles the end of the stream: a running command has ended.
func (d *driver) ends(err error) {
	d.happened(func() {
		d.interpretRest()
		code, signal := d.term.ExitStatus()
		if c := d.cmd; c != nil && code == 0 && (d.life.hungUp || c.facts.code != nil && *c.facts.code == hangup) { // fish exits with 0 then
			code, signal = hangup, "SIGHUP"
		}
		d.life.exit = &ExitError{Code: code, Signal: signal}
		if !d.stream.used {
			d.life.exit.Output = prompt.Visible(d.stream.startup)
		}
		if err != nil {
			d.life.failure = fmt.Errorf("reading from the program: %w", err)
		}
		d.events.report(EventExit, nil, d.life.exit.Error())
		if d.typist.line != nil {
			d.typist.divide()
		}
		d.decider.step(machine.Input{Kind: machine.InExit})
		d.decider.settle()
	})
	close(d.life.dead)
}
