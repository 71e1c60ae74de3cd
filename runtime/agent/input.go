package agent

import (
	"io"
	"sync"
)

// maxQueued limits the bytes queued for the agent, after the first piece.
const maxQueued = 64 << 20

// input writes to an agent's standard input, in order, without blocking its caller: the output of
// an agent that does not read its input is still read.
type input struct {
	w     io.WriteCloser
	mu    sync.Mutex
	wake  *sync.Cond
	queue [][]byte
	size  int
	ended bool
}

// newInput writes to w until hangUp, or until a write fails. Closing w ends it at once.
func newInput(w io.WriteCloser) *input {
	in := &input{w: w}
	in.wake = sync.NewCond(&in.mu)
	go in.run()
	return in
}

// send queues a piece. If the queue is full, since the agent keeps asking without reading
// answers, the input is closed.
func (in *input) send(b []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended {
		return
	}
	if len(in.queue) > 0 && in.size+len(b) > maxQueued {
		in.queue, in.ended = nil, true
	} else {
		in.queue, in.size = append(in.queue, b), in.size+len(b)
	}
	in.wake.Signal()
}

// hangUp closes the input after the queued pieces are written.
func (in *input) hangUp() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ended = true
	in.wake.Signal()
}

// close discards the queued pieces.
func (in *input) close() {
	in.hangUp()
	_ = in.w.Close() // its reader has exited
}

func (in *input) run() {
	for {
		b, more := in.next()
		if !more {
			break
		}
		if _, err := in.w.Write(b); err != nil {
			in.hangUp() // an agent that does not read reports this itself
			break
		}
	}
	_ = in.w.Close() // it may be closed already
}

// next waits for a piece; it returns false if none will follow.
func (in *input) next() ([]byte, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.queue) == 0 && !in.ended {
		in.wake.Wait()
	}
	if len(in.queue) == 0 {
		return nil, false
	}
	b := in.queue[0]
	in.queue, in.size = in.queue[1:], in.size-len(b)
	return b, true
}
