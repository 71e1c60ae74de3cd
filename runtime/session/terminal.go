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
	o := terminal.Options{Replies: replies, JudgeQueries: d.judgeQueries, Pause: d.prog.input.pause, OwnsOrphans: d.options.OwnsOrphans, Screen: d.options.OnTerminal != nil}
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

const (
	// replyGrace is how long a command that has sent a query may take to read, if nothing else shows that it will.
	replyGrace = 100 * time.Millisecond
	// longestUnread is how much a command may print after such a query and before it reads, in bytes.
	longestUnread = 2 << 10
)

// judgeQueries returns a function that decides whether commands that sent the terminal queries wait for the replies, which
// would otherwise reach the line editor. They do not if the output since then contains a marker of this session. In a terminal
// that ripple itself has made pass on single keys, they do not either if they do not read, such as cat of a file with queries:
// whether they will is undecided for a while. Background jobs get no replies at the prompt of a program that sends no queries
// there, since the program would read them.
func (d *driver) judgeQueries(taken int64) func(terminal.Query) terminal.QueryVerdict {
	j := queryJudge{taken: taken, marker: []byte(d.plan.Values["nonce"])}
	d.locked(func() {
		j.marked = d.prog.prompts.markers != nil || d.prog.prompts.literals != nil
		if d.prog.prompts.literals != nil {
			j.marker = []byte(d.plan.Values["marker"])
		}
		j.running = d.control.state.Step == machine.StepRunning && !d.control.state.SawD
		d.kernel.queries = d.kernel.queries || !d.kernel.used
		j.silent = !d.kernel.queries
		j.job = j.silent && (d.control.state.Step == machine.StepReady || d.cmd != nil && d.cmd.prelude.expected)
		if d.cmd != nil {
			j.begin = d.cmd.begin
		}
		if j.knows = !d.plan.TTY.Canonical && pty.Tells; j.knows {
			r := d.term.Readiness()
			j.reads = r.State == pty.Waiting || r.Listens || r.Timed || r.Hidden
			j.own, j.unread = d.term.ModesChanged(), d.term.Readable(taken)
		}
	})
	return j.verdict
}

// queryJudge decides about queries of programs to the terminal.
type queryJudge struct {
	taken   int64 // bytes of output read
	marked  bool  // the prompt has a marker
	marker  []byte
	running bool  // a command runs
	silent  bool  // the program sends no queries at its prompt
	job     bool  // it is at its prompt, and silent
	begin   int64 // bytes of output read when it began
	knows   bool  // whether programs read is known
	reads   bool  // a program does
	own     bool  // the modes are those of a program that reads keys, or of the program's own line editor before its prompt
	unread  bool  // there is more output
}

func (j *queryJudge) verdict(q terminal.Query) terminal.QueryVerdict {
	end := j.taken - int64(len(q.Since))
	switch {
	case j.job, j.silent && j.running && end <= j.begin: // a background job sent it
		return terminal.QueryAbandoned
	case q.Again && end < j.begin: // the command that sent it has ended
		return terminal.QueryAbandoned
	case (q.Again || j.running) && j.marked && bytes.Contains(q.Since, j.marker):
		return terminal.QueryAbandoned
	case q.Again && !j.running && !j.own:
		return terminal.QueryAbandoned
	case !j.running, !j.knows:
		return terminal.QueryWaits
	case j.unread && j.own && j.marked: // the modes may be those of the line editor, whose prompt is in that output
		return terminal.QueryUndecided
	case j.unread: // it is asked again with that output
		return j.ignores(len(q.Since) > longestUnread)
	case j.reads:
		return terminal.QueryWaits
	case q.Age > replyGrace, len(q.Since) > longestUnread && !j.own:
		return j.ignores(true)
	}
	return terminal.QueryUndecided
}

// ignores returns the verdict about a command that does not read; long says whether that is so for long enough.
func (j *queryJudge) ignores(long bool) terminal.QueryVerdict {
	if long && !j.own {
		return terminal.QueryAbandoned
	}
	return terminal.QueryWaits
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
