package terminal

import (
	"errors"
	"sync"
	"time"

	"ripple/runtime/pty"
)

// input is what the program is to get and the terminal has not taken yet.
type input struct {
	mu      sync.Mutex
	queue   [][]byte        // pieces that came by one Write each
	waiting bool            // somebody waits until the terminal takes more, or a pause is over
	done    <-chan struct{} // of the Terminal
}

// Write gives the program input, as if it were typed. It never waits: what the
// terminal does not take at once is queued and follows in order. The error is
// os.ErrClosed when the terminal is closed, or says what broke; the queue is then
// empty.
func (t *Terminal) Write(b []byte) (int, error) {
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	n := 0
	if len(in.queue) == 0 && !in.waiting {
		var err error
		if n, err = t.put(b); err != nil {
			return n, err
		}
	}
	if n < len(b) {
		in.queue = append(in.queue, append([]byte(nil), b[n:]...))
	}
	return len(b), nil
}

// put gives the terminal what it takes of b at once.
func (t *Terminal) put(b []byte) (int, error) {
	in := &t.input
	n, err := t.tty.Write(b)
	if n > 0 && t.options.Wrote != nil {
		t.options.Wrote(b[:n])
	}
	if errors.Is(err, pty.ErrWouldBlock) {
		in.waiting = true
		go t.writeLater(0)
		return n, nil
	}
	return n, err
}

// writeQueue goes on with the queue; input.mu is held.
func (t *Terminal) writeQueue() {
	in := &t.input
	for len(in.queue) > 0 && !in.waiting {
		n, err := t.put(in.queue[0])
		if err != nil {
			in.queue = nil // Run tells
			return
		}
		if in.queue[0] = in.queue[0][n:]; len(in.queue[0]) > 0 {
			continue
		}
		in.queue = in.queue[1:]
		if t.options.Pause > 0 && len(in.queue) > 0 {
			in.waiting = true
			go t.writeLater(t.options.Pause)
		}
	}
	if len(in.queue) == 0 {
		in.queue = nil
	}
}

// writeLater goes on writing after a pause, or when the terminal has room.
func (t *Terminal) writeLater(pause time.Duration) {
	in := &t.input
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-in.done:
		}
	} else {
		_ = t.tty.WaitWritable(time.Time{}) // closed: the write says so
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = false
	t.writeQueue()
}

// Queued is how many bytes of input the terminal has not taken yet.
func (t *Terminal) Queued() (n int) {
	t.input.mu.Lock()
	defer t.input.mu.Unlock()
	for _, b := range t.input.queue {
		n += len(b)
	}
	return n
}

// Discard forgets the input that is queued.
func (t *Terminal) Discard() {
	t.input.mu.Lock()
	defer t.input.mu.Unlock()
	t.input.queue = nil
}
