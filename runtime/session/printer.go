package session

import (
	"sync"

	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/fault"
)

// printer turns the text of commands into their output. Under the driver's lock text is only
// queued; strip, render, keep and the caller's Output run without that lock, so that deadlines,
// interrupts and ends of commands do not wait for a program's output.
type printer struct {
	// Under the driver's lock.
	lock       sync.Locker
	queue      []job
	text       []byte // text of the jobs
	delivering bool
	due        bool       // there is work to do or output to deliver
	room       *sync.Cond // signaled when the queue was taken or a delivery has ended

	mu          sync.Mutex // taken before the driver's lock, for one piece of work at a time
	jobs        []job      // jobs taken from the queue, in order
	work        []byte     // their text
	did         []job      // the other buffer for the queue
	unsolicited unsolicited
	out         delivery
	spare       []byte // the other buffer for its output
	to          *Options
	reports     reports
	faults      *faults
	ledger      *ledger // under the driver's lock
}

func newPrinter(c *core) printer {
	return printer{ledger: &c.events.ledger, lock: &c.mu, room: sync.NewCond(&c.mu), to: &c.options, reports: reports{c.prog, &c.status, &c.life, &c.faults}, faults: &c.faults, unsolicited: newUnsolicited(c.prog, c.options, c.spillDir())}
}

type jobKind uint8

const (
	jobText        jobKind = iota
	jobSent                // a line was sent: strip removes its echo
	jobBegin               // C: the following text is output
	jobTyped               // text was sent while the command runs
	jobMute                // nothing is output from here on
	jobShow                // the program waits at the end of its unfinished line
	jobEcho                // text before C, to be split into echo and unsolicited output
	jobTypedLine           // a user typed this command
	jobUnsolicited         // text between commands
	jobEnd
)

type job struct {
	kind     jobKind
	c        *command
	config   echo.Config   // jobSent, jobEcho
	typed    *TypedCommand // jobTypedLine
	from, to int           // position in the text
	at       int64         // jobSent: position in the stream
}

const (
	// slowPiece is how many bytes are rendered at once if rendering is slow.
	slowPiece = 256
	// maxQueue is how many bytes may be queued during a delivery; then reading stops.
	maxQueue = 256 << 10
	// maxDelivery is about how many bytes are delivered at once.
	maxDelivery = 64 << 10
)

// enqueue adds work to be done without the driver's lock.
func (p *printer) enqueue(j job, text []byte) {
	j.from = len(p.text)
	p.text = append(p.text, text...)
	j.to = len(p.text)
	if last := len(p.queue) - 1; (j.kind == jobText || j.kind == jobUnsolicited) && last >= 0 && p.queue[last].kind == j.kind && p.queue[last].c == j.c {
		p.queue[last].to = j.to
		return
	}
	p.queue = append(p.queue, j)
	p.due = p.due || j.kind == jobText || j.kind >= jobShow
}

// await blocks the reader while too much is queued.
func (p *printer) await() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.delivering && len(p.text) > maxQueue {
		p.room.Wait()
	}
}

// take takes the queue and reports whether there is work; p.mu is held.
func (p *printer) take() bool {
	if len(p.jobs) > 0 {
		return true
	}
	p.lock.Lock()
	p.queue, p.jobs, p.did = p.did[:0], p.queue, p.queue
	p.text, p.work = p.work[:0], p.text
	p.lock.Unlock()
	p.room.Broadcast()
	return len(p.jobs) > 0
}

// piece does the next piece of work. It reports whether there was one, and the command whose text
// is complete with it. p.mu is held.
func (p *printer) piece() (ended *command, more bool) {
	if !p.take() {
		return nil, false
	}
	j := p.jobs[0]
	end := j.to
	if j.kind == jobText && j.c.render.text.Slow() {
		end = min(end, j.from+slowPiece)
	}
	text := p.work[j.from:end]
	if p.jobs[0].from = end; end == j.to {
		p.jobs = p.jobs[1:]
	}
	return p.do(&j, text), true
}

// do does a job. If that panics, the text is output as it is.
func (p *printer) do(j *job, text []byte) (ended *command) {
	if caught := fault.Catch("handling output", text, func() { p.staged(j, text) }); caught != nil {
		p.faults.add(*caught)
		p.plainly(j, text)
	}
	if j.kind == jobEnd {
		return j.c
	}
	return nil
}

// staged does a job by the stages strip, render and keep.
func (p *printer) staged(j *job, text []byte) {
	switch c := j.c; j.kind {
	case jobText:
		p.print(c, text)
	case jobSent:
		p.before(c)
		j.config.Within = p.unsolicited.midLine
		c.strip.line, c.strip.from, c.strip.took = echo.New(j.config), j.at, 0
	case jobBegin:
		p.before(c)
		c.strip.line = nil
	case jobTyped:
		c.strip.typed.Expect(text)
	case jobShow:
		p.keep(c, c.render.show())
	case jobEcho:
		j.config.Within = p.unsolicited.midLine
		p.addUnsolicited(echo.Split(j.config, text))
		p.before(c)
	case jobUnsolicited:
		p.addUnsolicited(text)
	case jobTypedLine:
		p.out.typed = append(p.out.typed, typedStart{len(p.out.output), len(p.out.ended), j.typed})
	case jobMute:
		c.render.mute = true
	case jobEnd:
		p.keep(c, c.render.finish(c.strip.flush()))
	}
}

// plainly does without the stages what a job is for, after a panic in one of them.
func (p *printer) plainly(j *job, text []byte) {
	switch j.kind {
	case jobText, jobEcho:
		j.c.strip = stripper{}
		p.keep(j.c, text)
	case jobUnsolicited:
		p.out.unsolicited = append(p.out.unsolicited, text...)
	}
}

// print passes a command's text through strip, render and keep.
func (p *printer) print(c *command, b []byte) {
	own, foreign := c.strip.feed(b)
	if n := c.strip.echo(); n > 0 {
		p.lock.Lock()
		p.ledger.since(c.strip.from, n, ClassEcho)
		p.lock.Unlock()
	}
	if len(foreign) > 0 {
		p.addUnsolicited(foreign)
		p.before(c)
	}
	p.keep(c, c.render.feed(own))
}

// keep adds final output.
func (p *printer) keep(c *command, text []byte) {
	c.kept.write(text)
	if p.to.Output != nil {
		p.out.output = append(p.out.output, text...)
	}
}

// addUnsolicited handles text that belongs to no command.
func (p *printer) addUnsolicited(b []byte) {
	p.out.unsolicited = append(p.out.unsolicited, p.unsolicited.feed(b)...)
}

// before handles text that arrived before a command's output began: it is reported separately
// unless the adapter merges it into the output.
func (p *printer) before(c *command) {
	text, passed := p.unsolicited.take(c.usual)
	p.out.unsolicited = append(p.out.unsolicited, passed...)
	if p.unsolicited.merged {
		p.keep(c, []byte(text))
	} else {
		c.outOfBand += text
	}
}
