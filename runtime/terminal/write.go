package terminal

import (
	"errors"
	"os"
	"sync"
	"time"

	"ripple/runtime/pty"
)

// input is what the program is to get and the terminal has not taken yet.
type input struct {
	mu      sync.Mutex
	queue   [][]byte // pieces that came by one Write each
	waiting bool     // somebody waits until the terminal takes more, or a pause is over
	broken  error
	done    <-chan struct{} // of the Terminal
}

// Write gives the program input, as if it were typed. It never waits: what the
// terminal does not take at once is queued and follows in order. The error is
// os.ErrClosed when the terminal is closed, or says what broke.
func (t *Terminal) Write(b []byte) (int, error) {
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.broken != nil {
		return 0, in.broken
	}
	n := 0
	if len(in.queue) == 0 && !in.waiting {
		n = t.put(b)
	}
	if n < len(b) && in.broken == nil {
		in.queue = append(in.queue, append([]byte(nil), b[n:]...))
	}
	return len(b), in.broken
}

// put gives the terminal what it takes of b at once.
func (t *Terminal) put(b []byte) int {
	in := &t.input
	n, err := t.tty.Write(b)
	if n > 0 && t.options.Wrote != nil {
		t.options.Wrote(b[:n])
	}
	switch {
	case errors.Is(err, pty.ErrWouldBlock):
		in.waiting = true
		go t.writeLater(0)
	case err != nil:
		in.broken, in.queue = err, nil
	}
	return n
}

// writeQueue goes on with the queue; input.mu is held.
func (t *Terminal) writeQueue() {
	in := &t.input
	for len(in.queue) > 0 && !in.waiting && in.broken == nil {
		n := t.put(in.queue[0])
		switch {
		case in.broken != nil:
			return
		case n < len(in.queue[0]):
			in.queue[0] = in.queue[0][n:]
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
	var err error
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-in.done:
		}
	} else {
		err = t.tty.WaitWritable(time.Time{})
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = false
	if err != nil { // closed: nobody reads what is left
		in.broken, in.queue = os.ErrClosed, nil
		return
	}
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
