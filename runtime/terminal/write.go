package terminal

import (
	"errors"
	"sync"
	"syscall"
	"time"

	"example.org/ripple/runtime/pty"
)

// input is input for the program that the terminal has not accepted yet.
type input struct {
	tty   *pty.PTY
	pause time.Duration // between pieces
	wrote func([]byte)  // receives the input that the terminal took; may be nil

	mu      sync.Mutex
	queue   [][]byte        // one piece for each Write
	waiting bool            // a goroutine waits until the terminal accepts more, or a pause has passed
	done    <-chan struct{} // the Terminal's
}

// Write sends input to the program as if it were typed. It never blocks: input that the
// terminal does not take at once is queued and follows in order. The error is os.ErrClosed
// if the terminal is closed, or the one that broke the terminal; the queue is then empty.
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

// put writes as much of b as the terminal accepts at once.
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

// writeQueue writes the rest of the queue; mu is held.
func (in *input) writeQueue() {
	for len(in.queue) > 0 && !in.waiting {
		n, err := in.put(in.queue[0])
		if err != nil {
			in.queue = nil // Run reports it
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

// writeLater continues writing after a pause, or when the terminal has room.
func (in *input) writeLater(pause time.Duration) {
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-in.done:
		}
	} else {
		_ = in.tty.WaitWritable(time.Time{}) // an error means that it is closed, which the write reports
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = false
	in.writeQueue()
}

// Queued returns the number of input bytes that the terminal has not accepted yet.
func (t *Terminal) Queued() (n int) {
	t.input.mu.Lock()
	defer t.input.mu.Unlock()
	for _, b := range t.input.queue {
		n += len(b)
	}
	return n
}

// Discard discards queued input.
func (t *Terminal) Discard() {
	t.input.mu.Lock()
	defer t.input.mu.Unlock()
	t.input.queue = nil
}

// DropInput discards queued input and, on Linux, what the program has not read. It reports whether it has discarded the latter,
// which fails when the program has ended.
func (t *Terminal) DropInput() bool {
	t.Discard()
	return t.tty.DropInput() == nil
}

// WatchReads begins to observe whether programs read input. Errors: those of [pty.PTY.WatchReads].
func (t *Terminal) WatchReads() (*pty.ReadWatch, error) { return t.tty.WatchReads() }

// Interrupt discards queued input and types key, the program's interrupt key. If the terminal would
// turn Ctrl-C into a signal, the signal is sent directly: the key would discard output that has not
// been read yet.
func (t *Terminal) Interrupt(key string) {
	t.Discard()
	if key == "\x03" && t.tty.Interrupts() && t.tty.Signal(syscall.SIGINT) == nil {
		if t.input.wrote != nil {
			t.input.mu.Lock()
			defer t.input.mu.Unlock()
			t.input.wrote([]byte(key)) // the key that a user would have typed
		}
		return
	}
	_, _ = t.Write([]byte(key)) // an error means that the program has ended
}
