package session

import (
	"context"
	"time"
)

// delivery is what goes to the caller at once.
type delivery struct {
	output, aside []byte
	over          []*command // whose waiters are told after that
	begun         []begun
}

// begun is a command that a person typed: what is delivered before it is of others.
type begun struct {
	output, over int
	typed        *Typed
}

func (d *delivery) empty() bool { return len(d.output)+len(d.aside)+len(d.over)+len(d.begun) == 0 }

// lookLimit is how long somebody who looks at the output so far works on it.
const lookLimit = 50 * time.Millisecond

// deliver takes what is to be delivered; p.mu is held.
func (p *printer) deliver() delivery {
	out := p.out
	p.out, p.spare = delivery{output: p.spare[:0]}, nil
	return out
}

// doNext does a piece of what is queued and says whether there was any; printer.mu
// is held.
func (p *printer) doNext() bool {
	ended, more := p.piece()
	if ended != nil {
		p.lock.Lock()
		p.reports.finish(ended)
		p.lock.Unlock()
		p.out.over = append(p.out.over, ended)
	}
	return more
}

// batch does a delivery's worth of work.
func (p *printer) batch() (out delivery, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for more = p.doNext(); more && len(p.out.output) < maxDelivery; more = p.doNext() {
		p.mu.Unlock() // whoever wants to look comes in between
		p.mu.Lock()
	}
	return p.deliver(), more
}

// passOn does what is queued, passes output on and wakes whoever waits for a
// command that ended. Whoever is at it already takes along what others add, so
// that output stays in order and precedes the end of its command.
func (p *printer) passOn() (woke bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for !p.delivering && p.due {
		p.delivering, p.due = true, false
		p.lock.Unlock()
		out, more := p.batch()
		woke = p.to.deliver(out) || woke
		p.lock.Lock()
		p.spare = out.output
		p.delivering, p.due = false, p.due || more
		p.room.Broadcast()
	}
	return woke
}

// delivered returns when the output that is due has been passed on, or the context
// has ended.
func (p *printer) delivered(ctx context.Context) {
	p.passOn()
	stop := context.AfterFunc(ctx, func() {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.room.Broadcast()
	})
	defer stop()
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.delivering && ctx.Err() == nil {
		p.room.Wait()
	}
}

// deliver gives the caller what is due, and tells those who wait for commands
// that have ended.
func (o *Options) deliver(out delivery) (woke bool) {
	if len(out.aside) > 0 {
		o.OutOfBand(out.aside)
	}
	output, over := 0, 0
	for _, b := range out.begun {
		o.pass(out.output[output:b.output], out.over[over:b.over])
		output, over = b.output, b.over
		if o.Typed != nil {
			o.Typed(b.typed)
		}
	}
	o.pass(out.output[output:], out.over[over:])
	return len(out.over) > 0
}

func (o *Options) pass(output []byte, over []*command) {
	if len(output) > 0 {
		o.Output(output)
	}
	for _, c := range over {
		close(c.done)
	}
}

// upToDate runs f when the text that has been read is output, as far as there
// is time for that.
func (p *printer) upToDate(f func()) {
	if p.catchUp(f) {
		go p.passOn()
	}
}

// catchUp is upToDate without the delivery, and says whether there is one.
func (p *printer) catchUp(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for start := time.Now(); p.doNext() && time.Since(start) < lookLimit; {
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	f()
	p.due = p.due || !p.out.empty() || len(p.jobs) > 0
	return p.due
}
