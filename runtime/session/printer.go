package session

import (
	"context"
	"sync"
	"time"

	"ripple/runtime/internal/echo"
)

// printer turns the text of commands into their output. Under the driver's lock
// text is only queued; echo, renderer and the caller's Output come outside of
// it, so that no deadline, interrupt or end waits for what a program prints.
type printer struct {
	// Under driver.mu.
	queue      []job
	text       []byte // of the jobs
	delivering bool
	due        bool       // there is something to do or to deliver
	room       *sync.Cond // the queue was taken, or a delivery has ended

	mu        sync.Mutex // is taken before driver.mu, for one piece of work at a time
	jobs      []job      // what was taken from the queue, in order
	work      []byte     // its text
	did       []job      // the other buffer for the queue
	aside     aside
	emitAside []byte     // for Options.OutOfBand
	emit      []byte     // for Options.Output
	next      []byte     // the other buffer for it
	over      []*command // whose waiters are told after the output went out
}

type jobKind uint8

const (
	jobText  jobKind = iota
	jobSent          // a line was sent: strip takes its echo out
	jobBegin         // C: what follows is output
	jobTyped         // text was sent while the command runs
	jobMute          // nothing is output any more
	jobShow          // the program waits behind its unfinished line
	jobEcho          // what came before C, to be divided into echo and aside
	jobAside         // what came between the commands
	jobEnd
)

type job struct {
	kind     jobKind
	c        *command
	strip    *echo.Stripper // jobSent
	config   echo.Config    // jobEcho
	from, to int            // in the text
}

const (
	// slowPiece is how much is rendered at once where that is slow.
	slowPiece = 256
	// maxQueue is how much may wait while output is being delivered; then
	// nothing more is read.
	maxQueue = 256 << 10
	// maxEmit is about how much is delivered at once.
	maxEmit = 64 << 10
)

// enqueue notes work for outside of the lock.
func (d *driver) enqueue(j job, text []byte) {
	p := &d.printer
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

// passOn does what is queued, passes output on and wakes whoever waits for a
// command that ended. Whoever is at it already takes along what others add, so
// that output stays in order and precedes the end of its command.
func (d *driver) passOn() (woke bool) {
	p := &d.printer
	d.mu.Lock()
	defer d.mu.Unlock()
	for !p.delivering && p.due {
		p.delivering, p.due = true, false
		d.mu.Unlock()
		emit, aside, over, more := d.batch()
		if len(aside) > 0 {
			d.options.OutOfBand(aside)
		}
		if len(emit) > 0 {
			d.options.Output(emit)
		}
		for _, c := range over {
			close(c.done)
			woke = true
		}
		d.mu.Lock()
		p.next = emit
		p.delivering, p.due = false, p.due || more
		p.room.Broadcast()
	}
	return woke
}

// delivered returns when the output that is due has been passed on, or the context
// has ended.
func (d *driver) delivered(ctx context.Context) {
	d.passOn()
	stop := context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.printer.room.Broadcast()
	})
	defer stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.printer.delivering && ctx.Err() == nil {
		d.printer.room.Wait()
	}
}

// batch does a delivery's worth of work.
func (d *driver) batch() (emit, aside []byte, over []*command, more bool) {
	p := &d.printer
	p.mu.Lock()
	for more = d.piece(); more && len(p.emit) < maxEmit; more = d.piece() {
		p.mu.Unlock() // whoever wants to look comes in between
		p.mu.Lock()
	}
	emit, aside, over = p.emit, p.emitAside, p.over
	p.emitAside = nil
	p.emit, p.next, p.over = p.next[:0], nil, nil
	p.mu.Unlock()
	return emit, aside, over, more
}

// lookLimit is how long somebody who looks at the output so far works on it.
const lookLimit = 50 * time.Millisecond

// upToDate runs f when the text that has been read is output, as far as there
// is time for that.
func (d *driver) upToDate(f func()) {
	if d.catchUp(f) {
		go d.passOn()
	}
}

// catchUp is upToDate without the delivery, and says whether there is one.
func (d *driver) catchUp(f func()) bool {
	p := &d.printer
	p.mu.Lock()
	for start := time.Now(); d.piece() && time.Since(start) < lookLimit; {
	}
	d.mu.Lock()
	f()
	p.due = p.due || len(p.emit)+len(p.emitAside) > 0 || len(p.over) > 0 || len(p.jobs) > 0
	due := p.due
	d.mu.Unlock()
	p.mu.Unlock()
	return due
}

// await lets the reader wait while too much is queued.
func (d *driver) await() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.printer.delivering && len(d.printer.text) > maxQueue {
		d.printer.room.Wait()
	}
}

// piece does the next piece of work; printer.mu is held.
func (d *driver) piece() (more bool) {
	p := &d.printer
	if len(p.jobs) == 0 {
		d.mu.Lock()
		p.queue, p.jobs, p.did = p.did[:0], p.queue, p.queue
		p.text, p.work = p.work[:0], p.text
		d.mu.Unlock()
		p.room.Broadcast()
		if len(p.jobs) == 0 {
			return false
		}
	}
	j := &p.jobs[0]
	end := j.to
	if j.kind == jobText && j.c.rend.Slow() {
		end = min(end, j.from+slowPiece)
	}
	d.do(*j, p.work[j.from:end])
	if j.from = end; end == j.to {
		p.jobs = p.jobs[1:]
	}
	return true
}

func (d *driver) do(j job, text []byte) {
	switch c := j.c; j.kind {
	case jobText:
		d.print(c, text)
	case jobSent:
		d.before(c)
		c.strip = j.strip
	case jobBegin:
		d.before(c)
		c.strip = nil
	case jobTyped:
		c.echoes.Expect(text)
	case jobShow:
		c.rend.FlushPending()
	case jobEcho:
		d.putAside(echo.Split(j.config, text))
		d.before(c)
	case jobAside:
		d.putAside(text)
	case jobMute:
		c.mute = true
	case jobEnd:
		d.flush(c)
		d.mu.Lock()
		d.finish(c)
		d.mu.Unlock()
		d.printer.over = append(d.printer.over, c)
	}
}

// print takes the echo out of what a command printed and renders the rest.
func (d *driver) print(c *command, b []byte) {
	if len(c.echoes) > 0 {
		b = c.echoes.Feed(b)
	}
	if c.strip != nil {
		b = c.strip.Feed(b)
		if f := c.strip.Foreign(); len(f) > 0 {
			d.putAside(f)
			d.before(c)
		}
	}
	c.render(b)
}

// render passes on output with the program's line endings as the terminal's.
func (c *command) render(b []byte) {
	switch {
	case c.mute:
	case c.endings == nil:
		c.rend.Write(b)
	default:
		c.endings.Feed(b, func(text []byte) { c.rend.Write(text) }, func(int) { c.rend.Write([]byte("\n")) })
	}
}

// flush releases everything that is still held back.
func (d *driver) flush(c *command) {
	rest := c.echoes.Flush()
	if c.strip != nil {
		c.render(c.strip.Feed(rest))
		rest = c.strip.Flush()
	}
	c.render(rest)
	if c.endings != nil {
		c.endings.Flush(func(text []byte) { c.rend.Write(text) })
	}
	c.rend.Close()
}
