package console

import (
	"context"
	"io"
	"time"

	"ripple/runtime/session"
)

const (
	// batch is how long output is gathered before it is sent, and how long a
	// command may take before anybody asks whether it waits for input.
	batch = 10 * time.Millisecond
	// drawing is how long a program that draws on the whole screen is given to draw, or to
	// leave after a key, when it is not seen to wait for input before.
	drawing = 300 * time.Millisecond
	// pieceSize is how much output one piece has, in bytes.
	pieceSize = 64 << 10
)

// follower is one client's wait for a command.
type follower struct {
	h    *host
	run  *run
	from int64             // the next byte of its output to be sent; negative: none is
	send func(piece) error // nil: no output is sent
	// dropped is how much of the output is no longer kept.
	dropped int64
	stay    bool // also when the command waits for input
}

// follow sends output until the command ends, waits for input, or the context ends.
func (f *follower) follow(ctx context.Context) (why string, err error) {
	defer f.h.busy()()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan struct{})
	watch := time.NewTimer(batch)
	defer watch.Stop()
	for {
		printed := f.h.printed.wait()
		if isClosed(f.run.done) {
			return "done", f.flush()
		}
		select {
		case <-f.run.done:
		case <-printed:
			gather(ctx, f.run.done)
			if err := f.flush(); err != nil {
				return "", err
			}
		case <-watch.C:
			if !f.stay {
				go f.h.stops(ctx, stopped)
			}
		case <-stopped:
			if isClosed(f.run.done) {
				continue
			}
			return "waiting", f.flush()
		case <-ctx.Done():
			return "time", f.flush()
		}
	}
}

// gather waits for more output to send with what is there.
func gather(ctx context.Context, done <-chan struct{}) {
	t := time.NewTimer(batch)
	defer t.Stop()
	select {
	case <-t.C:
	case <-done:
	case <-ctx.Done():
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// flush sends the output that has not been sent; a client that is gone is an error.
func (f *follower) flush() error {
	if f.send == nil || f.from < 0 {
		return nil
	}
	c := f.h.of(f.run)
	if f.from >= c.Bytes {
		return nil
	}
	in, skipped, err := f.h.record.output(c.From+f.from, c.From+c.Bytes)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	f.from += skipped
	f.dropped += skipped
	buf := make([]byte, min(pieceSize, c.Bytes-f.from))
	for {
		n, err := io.ReadFull(in, buf)
		if n > 0 {
			f.from += int64(n)
			if err := f.send(pieceOf(buf[:n])); err != nil {
				return err
			}
		}
		if err != nil { // the end
			f.from = c.Bytes
			return nil
		}
	}
}

// stops closes stopped when the running command goes on no more without a client:
// it waits for input, or draws on the whole screen.
func (h *host) stops(ctx context.Context, stopped chan<- struct{}) {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waits := make(chan struct{})
	go func() {
		_, err := s.WaitState(ctx, func(st session.State) bool { return st.Waiting != session.WaitingNo && st.Stuck })
		if err == nil {
			close(waits)
		}
	}()
	var drawn <-chan time.Time
	for {
		printed := h.screen.painted()
		switch {
		case h.adapter.Agent != nil || !h.screen.full():
			drawn = nil
		case drawn == nil:
			drawn = time.After(drawing)
		}
		select {
		case <-printed:
		case <-waits:
			close(stopped)
			return
		case <-drawn:
			close(stopped)
			return
		case <-ctx.Done():
			return
		}
	}
}
