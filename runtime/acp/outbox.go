package acp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	outboxRoom = 4 << 20  // bytes, from where on what can wait does
	outboxMost = 64 << 20 // bytes that a client may leave unread before it is given up
)

// errUnread is returned for a client that does not read.
var errUnread = errors.New("the client does not read its input")

// outbox holds the lines that the client has not read. Answers to the client never wait
// for it; reports of a loop do.
type outbox struct {
	mu    sync.Mutex
	more  *sync.Cond
	lines [][]byte
	size  int
	over  bool
	err   error
	gone  chan struct{} // closed when nothing more can be written
	done  chan struct{} // closed when nothing more is being written
}

func newOutbox(w io.Writer) *outbox {
	o := &outbox{gone: make(chan struct{}), done: make(chan struct{})}
	o.more = sync.NewCond(&o.mu)
	go o.write(w)
	return o
}

func (o *outbox) write(w io.Writer) {
	defer close(o.done)
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.lines) == 0 && !o.over && o.err == nil {
			o.more.Wait()
		}
		if len(o.lines) == 0 || o.err != nil {
			return
		}
		line := o.lines[0]
		o.mu.Unlock()
		_, err := w.Write(line)
		o.mu.Lock()
		if err != nil {
			o.fail(err)
		}
		if o.err != nil { // the lines are forgotten
			return
		}
		o.lines, o.size = o.lines[1:], o.size-len(line)
		o.more.Broadcast()
	}
}

// fail discards messages that the client will not read.
func (o *outbox) fail(err error) {
	if o.err == nil {
		o.err = err
		close(o.gone)
	}
	o.lines, o.size = nil, 0
	o.more.Broadcast()
}

func (o *outbox) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// send adds a line; it never waits.
func (o *outbox) send(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.over {
		return
	}
	o.lines, o.size = append(o.lines, line), o.size+len(line)
	if o.size > outboxMost {
		o.fail(errUnread)
	}
	o.more.Broadcast()
}

// room waits until the client has read most of what there is, or the context ends.
func (o *outbox) room(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.more.Broadcast()
	})
	defer stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > outboxRoom && o.err == nil && ctx.Err() == nil {
		o.more.Wait()
	}
}

// end takes no more lines, and gives the client some time to read those that are left.
func (o *outbox) end(limit time.Duration) {
	o.mu.Lock()
	o.over = true
	o.more.Broadcast()
	o.mu.Unlock()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-o.done:
	case <-t.C:
	}
}
