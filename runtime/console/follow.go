package console

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"example.org/ripple/runtime/session"
)

const (
	// batchDelay is how long output is collected before it is sent, and how long a command may run
	// before the host checks whether it waits for input.
	batchDelay = 10 * time.Millisecond
	// drawingDelay is how long a full-screen program may take to draw, or to exit after a key, unless it
	// is seen waiting for input earlier.
	drawingDelay = 300 * time.Millisecond
	// pieceSize is the maximum amount of output in one piece, in bytes.
	pieceSize = 64 << 10
)

// follower is one client's wait for a command.
type follower struct {
	h    *host
	run  *run
	from int64             // offset of the next output byte to send; negative: send none
	send func(piece) error // nil: send no output
	// begin informs the client that its request was received.
	acknowledge func()
	// dropped is the number of output bytes that are no longer kept.
	dropped   int64
	droppedAt int64
	sent      byte  // the last byte sent
	stay      bool  // keep waiting when the command waits for input
	reported  State // keep waiting in this state
}

// follow sends output until the command ends, waits for input, or the context ends.
func (f *follower) follow(ctx context.Context) (why string, err error) {
	defer f.h.busy()()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan struct{})
	watch := time.NewTimer(batchDelay)
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
			f.acknowledge()
			if !f.stay {
				go func() {
					if f.h.awaitOther(ctx, f.reported) == nil {
						f.h.stops(ctx, stopped)
					}
				}()
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

// gather waits for more output to send together with the available output.
func gather(ctx context.Context, done <-chan struct{}) {
	t := time.NewTimer(batchDelay)
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

// flush sends the output that has not been sent; a disconnected client is an error.
func (f *follower) flush() error {
	if f.send == nil || f.from < 0 {
		return nil
	}
	c := f.h.snapshot(f.run)
	if f.from >= c.Bytes {
		return nil
	}
	in, skipped, err := f.h.record.output(c.From+f.from, c.From+c.Bytes)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading only
	out := io.Reader(in)
	if skipped > 0 {
		lines := bufio.NewReaderSize(in, maxLine)
		if out, err = lines, f.gap(lines, skipped); err != nil {
			return err
		}
		if f.from >= c.Bytes { // nothing of it is kept
			return nil
		}
	}
	buf := make([]byte, min(pieceSize, c.Bytes-f.from))
	for {
		n, err := io.ReadFull(out, buf)
		if n > 0 {
			f.from += int64(n)
			f.sent = buf[n-1]
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

// gap reports output that is no longer kept: the output after the gap begins with a whole line, on
// a line of its own.
func (f *follower) gap(in *bufio.Reader, skipped int64) error {
	rest, err := passLine(in)
	if err != nil {
		return err
	}
	if f.dropped == 0 {
		f.droppedAt = f.from
	}
	hole := Gap{At: f.from, Bytes: skipped + rest}
	f.from += hole.Bytes
	f.dropped += hole.Bytes
	p := piece{Gap: &hole}
	if f.sent != 0 && f.sent != '\n' {
		p.Output = "\n"
	}
	return f.send(p)
}

// stops closes stopped when the running command cannot continue without a client: it waits for
// input, or draws on the whole screen.
func (h *host) stops(ctx context.Context, stopped chan<- struct{}) {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waits := make(chan struct{})
	go func() {
		if awaitAsking(ctx, s, &h.screen) == nil {
			close(waits)
		}
	}()
	var drawn <-chan time.Time
	for {
		printed := h.screen.painted()
		switch {
		case !h.fullscreen():
			drawn = nil
		case drawn == nil:
			drawn = time.After(drawingDelay)
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

// awaitOther returns nil when the console's state is not, or no longer, the given one.
func (h *host) awaitOther(ctx context.Context, reported State) error {
	for reported != "" {
		changed, cancel := context.WithCancel(ctx)
		painted := h.screen.painted()
		state, st := h.state()
		if state != reported {
			cancel()
			return nil
		}
		go func() {
			select {
			case <-painted:
			case <-changed.Done():
			}
			cancel()
		}()
		_, err := h.program().WaitState(changed, func(now session.State) bool {
			return now.Phase != st.Phase || now.Waiting != st.Waiting || now.EchoHint != st.EchoHint || (now.Stopped == nil) != (st.Stopped == nil)
		})
		ended := err != nil && changed.Err() == nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ended:
			return err
		}
	}
	return nil
}

// askingDelay is how long a program that also waits for other events must wait for input without
// printing before it is considered to be asking.
const askingDelay = 300 * time.Millisecond

// awaitAsking returns when the running command waits for input, may do so as another user, or waits
// to be continued.
func awaitAsking(ctx context.Context, s program, on *screen) error {
	for {
		st, err := s.WaitState(ctx, func(st session.State) bool {
			return st.Stopped != nil || st.Waiting != session.WaitingNone && (st.NeedsInput || st.WaitsElsewhere) || st.EchoHint == session.EchoHintOn
		})
		switch {
		case err != nil || st.NeedsInput:
			return err
		case st.Stopped != nil:
			err = awaitStopped(ctx, s)
		default:
			err = awaitSilence(ctx, s, on)
		}
		if !errors.Is(err, errContinued) {
			return err
		}
	}
}

// awaitStopped returns nil if the program stays stopped: a job that the user suspends is stopped
// for a moment before its shell takes the terminal back.
func awaitStopped(ctx context.Context, s program) error {
	limited, cancel := context.WithTimeout(ctx, askingDelay)
	defer cancel()
	_, err := s.WaitState(limited, func(st session.State) bool { return st.Stopped == nil })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	return errContinued
}

// errContinued reports that a command that waited for input continued without any.
var errContinued = errors.New("the command continued")

// awaitSilence returns nil if the command has waited for input after an unfinished line, without printing,
// for the duration of asking. Without such a line the program relays, as ssh does, and does not
// ask.
func awaitSilence(ctx context.Context, s program, on *screen) error {
	printed := on.painted()
	goesOn := func(st session.State) bool {
		return st.Waiting == session.WaitingNone && st.EchoHint != session.EchoHintOn || st.NeedsInput || isClosed(printed)
	}
	limited, cancel := context.WithTimeout(ctx, askingDelay)
	defer cancel()
	_, err := s.WaitState(limited, goesOn)
	silent := err != nil && limited.Err() != nil
	if silent && ctx.Err() == nil && !on.unfinished() {
		_, err = s.WaitState(ctx, goesOn)
		silent = false
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case silent:
		return nil
	case err != nil:
		return err
	}
	return errContinued
}
