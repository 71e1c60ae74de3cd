package session

import (
	"sync"

	"ripple/runtime/internal/echo"
)

// printer turns the text of commands into their output. Under the driver's lock
// text is only queued; strip, render and keep and the caller's Output come
// outside of it, so that no deadline, interrupt or end waits for what a program
// prints.
type printer struct {
	// Under the driver's lock.
	lock       sync.Locker
	queue      []job
	text       []byte // of the jobs
	delivering bool
	due        bool       // there is something to do or to deliver
	room       *sync.Cond // the queue was taken, or a delivery has ended

	mu      sync.Mutex // is taken before the driver's, for one piece of work at a time
	jobs    []job      // what was taken from the queue, in order
	work    []byte     // its text
	did     []job      // the other buffer for the queue
	asides  asides
	out     delivery
	spare   []byte // the other buffer for its output
	to      *Options
	reports reports
	ledger  *ledger // under the driver's lock
}

func newPrinter(c *core) printer {
	return printer{ledger: &c.events.ledger, lock: &c.mu, room: sync.NewCond(&c.mu), to: &c.options, reports: reports{c.prog, &c.status, &c.life}, asides: newAsides(c.prog, c.options, c.spillDir())}
}

type jobKind uint8

const (
	jobText      jobKind = iota
	jobSent              // a line was sent: strip takes its echo out
	jobBegin             // C: what follows is output
	jobTyped             // text was sent while the command runs
	jobMute              // nothing is output any more
	jobShow              // the program waits behind its unfinished line
	jobEcho              // what came before C, to be divided into echo and aside
	jobTypedLine         // a person typed this command
	jobAside             // what came between the commands
	jobEnd
)

type job struct {
	kind     jobKind
	c        *command
	strip    *echo.Stripper // jobSent
	config   echo.Config    // jobEcho
	typed    *Typed         // jobTypedLine
	from, to int            // in the text
	at       int64          // jobSent: where in the stream
}

const (
	// slowPiece is how much is rendered at once where that is slow.
	slowPiece = 256
	// maxQueue is how much may wait while output is being delivered; then
	// nothing more is read.
	maxQueue = 256 << 10
	// maxDelivery is about how much is delivered at once.
	maxDelivery = 64 << 10
)

// enqueue notes work for outside of the lock.
func (p *printer) enqueue(j job, text []byte) {
	j.from = len(p.text)
	p.text = append(p.text, text...)
	j.to = len(p.text)
	if last := len(p.queue) - 1; (j.kind == jobText || j.kind == jobAside) && last >= 0 && p.queue[last].kind == j.kind && p.queue[last].c == j.c {
		p.queue[last].to = j.to
		return
	}
	p.queue = append(p.queue, j)
	p.due = p.due || j.kind == jobText || j.kind >= jobShow
}

// await lets the reader wait while too much is queued.
func (p *printer) await() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.delivering && len(p.text) > maxQueue {
		p.room.Wait()
	}
}

// take takes the queue and says whether there is work; p.mu is held.
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

// piece does the next piece of work and says whether there was one, and which
// command's text is whole with it. p.mu is held.
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

func (p *printer) do(j *job, text []byte) (ended *command) {
	switch c := j.c; j.kind {
	case jobText:
		p.print(c, text)
	case jobSent:
		p.before(c)
		c.strip.line, c.strip.from, c.strip.took = j.strip, j.at, 0
	case jobBegin:
		p.before(c)
		c.strip.line = nil
	case jobTyped:
		c.strip.typed.Expect(text)
	case jobShow:
		p.keep(c, c.render.show())
	case jobEcho:
		j.config.Within = p.asides.within
		p.aside(echo.Split(j.config, text))
		p.before(c)
	case jobAside:
		p.aside(text)
	case jobTypedLine:
		p.out.begun = append(p.out.begun, begun{len(p.out.output), len(p.out.over), j.typed})
	case jobMute:
		c.render.mute = true
	case jobEnd:
		p.keep(c, c.render.finish(c.strip.flush()))
		return c
	}
	return nil
}

// print is the way of a command's text: strip, render, keep.
func (p *printer) print(c *command, b []byte) {
	own, foreign := c.strip.feed(b)
	if n := c.strip.echo(); n > 0 {
		p.lock.Lock()
		p.ledger.since(c.strip.from, n, TakenEcho)
		p.lock.Unlock()
	}
	if len(foreign) > 0 {
		p.aside(foreign)
		p.before(c)
	}
	p.keep(c, c.render.feed(own))
}

// keep takes final output.
func (p *printer) keep(c *command, text []byte) {
	c.kept.write(text)
	if p.to.Output != nil {
		p.out.output = append(p.out.output, text...)
	}
}

// aside takes text of no command.
func (p *printer) aside(b []byte) { p.out.aside = append(p.out.aside, p.asides.feed(b)...) }

// before gives a command what came before its output begins: it is not the
// command's, unless the adapter wants it there.
func (p *printer) before(c *command) {
	text, passed := p.asides.take(c.usual)
	p.out.aside = append(p.out.aside, passed...)
	if p.asides.merged {
		p.keep(c, []byte(text))
	} else {
		c.outOfBand += text
	}
}
