package terminal

import (
	"errors"
	"sync"
	"syscall"
	"time"

	"ripple/runtime/pty"
)

// input is what the program is to get and the terminal has not taken yet.
type input struct {
	tty   *pty.PTY
	pause time.Duration // between pieces
	wrote func([]byte)  // is told what the terminal took; may be nil

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
		if n, err = in.put(b); err != nil {
			return n, err
		}
	}
	if n < len(b) {
		in.queue = append(in.queue, append([]byte(nil), b[n:]...))
	}
	return len(b), nil
}

// put gives the terminal what it takes of b at once.
func (in *input) put(b []byte) (int, error) {
	n, err := in.tty.Write(b)
	if n > 0 && in.wrote != nil {
		in.wrote(b[:n])
	}
	if errors.Is(err, pty.ErrWouldBlock) {
		in.waiting = true
		go in.writeLater(0)
		return n, nil
	}
	return n, err
}

// writeQueue goes on with the queue; mu is held.
func (in *input) writeQueue() {
	for len(in.queue) > 0 && !in.waiting {
		n, err := in.put(in.queue[0])
		if err != nil {
			in.queue = nil // Run tells
			return
		}
		if in.queue[0] = in.queue[0][n:]; len(in.queue[0]) > 0 {
			continue
		}
		in.queue = in.queue[1:]
		if in.pause > 0 && len(in.queue) > 0 {
			in.waiting = true
			go in.writeLater(in.pause)
		}
	}
	if len(in.queue) == 0 {
		in.queue = nil
	}
}

// writeLater goes on writing after a pause, or when the terminal has room.
func (in *input) writeLater(pause time.Duration) {
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-in.done:
		}
	} else {
		_ = in.tty.WaitWritable(time.Time{}) // closed: the write says so
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = false
	in.writeQueue()
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

// Interrupt forgets what is queued and types key, the program's way to be
// interrupted. Where the terminal would turn Ctrl-C into a signal, the signal is
// sent directly: the key would throw away output that was not read yet.
func (t *Terminal) Interrupt(key string) {
	t.Discard()
	if key == "\x03" && t.tty.Interrupts() && t.tty.Signal(syscall.SIGINT) == nil {
		if t.input.wrote != nil {
			t.input.mu.Lock()
			defer t.input.mu.Unlock()
			t.input.wrote([]byte(key)) // what its user would have typed
		}
		return
	}
	_, _ = t.Write([]byte(key)) // it has ended: there is nothing to interrupt
}
