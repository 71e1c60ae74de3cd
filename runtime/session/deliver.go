package session

import (
	"context"
	"time"
)

// delivery holds the data to pass to the caller.
type delivery struct {
	output, unsolicited []byte
	ended               []*command // commands whose waiters are notified afterwards
	typed               []typedStart
}

// typedStart is a command that a user typed. Output before its position belongs to earlier commands.
type typedStart struct {
	output, ended int
	typed         *TypedCommand
}

func (d *delivery) empty() bool {
	return len(d.output)+len(d.unsolicited)+len(d.ended)+len(d.typed) == 0
}

// lookLimit bounds the time that a reader of the output so far spends on processing it.
const lookLimit = 50 * time.Millisecond

// deliver takes the data due for delivery; p.mu is held.
func (p *printer) deliver() delivery {
	out := p.out
	p.out, p.spare = delivery{output: p.spare[:0]}, nil
	return out
}

// doNext processes one piece of queued work and reports whether there was any; printer.mu is held.
func (p *printer) doNext() bool {
	ended, more := p.piece()
	if ended != nil {
		p.lock.Lock()
		p.reports.finish(ended)
		p.lock.Unlock()
		p.out.ended = append(p.out.ended, ended)
	}
	return more
}

// batch does the work of one delivery.
func (p *printer) batch() (out delivery, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for more = p.doNext(); more && len(p.out.output) < maxDelivery; more = p.doNext() {
		p.mu.Unlock() // lets readers of the output so far in
		p.mu.Lock()
	}
	return p.deliver(), more
}

// passOn does the queued work, passes output on, and wakes callers that wait for a command that has
// ended. If another goroutine is already doing that, it also does the work added meanwhile; this
// keeps output in order and before the end of its command.
func (p *printer) passOn() (woke bool) {
	for p.begin() {
		woke = p.one() || woke
	}
	return woke
}

// begin reports whether this goroutine is to make a delivery.
func (p *printer) begin() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.delivering || !p.due {
		return false
	}
	p.delivering, p.due = true, false
	return true
}

// one makes a delivery that has begun. No lock is held while the caller's functions run, so that a
// panic in them leaves none locked.
func (p *printer) one() (woke bool) {
	var out delivery
	var more bool
	defer func() {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.spare = out.output
		p.delivering, p.due = false, p.due || more
		p.room.Broadcast()
	}()
	out, more = p.batch()
	return p.to.deliver(out)
}

// delivered returns when the output that is due has been passed on, or when the context ends.
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

// deliver gives the caller the output that is due, and notifies waiters of commands that have
// ended.
func (o *Options) deliver(out delivery) (woke bool) {
	if len(out.unsolicited) > 0 {
		o.OutOfBand(out.unsolicited)
	}
	output, over := 0, 0
	for _, b := range out.typed {
		o.pass(out.output[output:b.output], out.ended[over:b.ended])
		output, over = b.output, b.ended
		if o.OnTyped != nil {
			o.OnTyped(b.typed)
		}
	}
	o.pass(out.output[output:], out.ended[over:])
	return len(out.ended) > 0
}

func (o *Options) pass(output []byte, over []*command) {
	if len(output) > 0 {
		o.Output(output)
	}
	for _, c := range over {
		close(c.done)
	}
}

// upToDate runs f after the text read so far has been turned into output, as far as lookLimit
// allows.
func (p *printer) upToDate(f func()) {
	if p.catchUp(f) {
		go p.passOn()
	}
}

// catchUp is upToDate without the delivery; it reports whether a delivery is due.
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
