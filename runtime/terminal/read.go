package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// drainGap is how long the terminal must be silent after the program has ended before it
// counts as empty, and drainLimit is how many bytes are read after the program's end,
// since a background job that keeps the terminal open may write forever.
const (
	drainGap   = 10 * time.Millisecond
	drainLimit = 1 << 20
)

// readSize is more than a terminal gives in one read (4 KiB on Linux).
const readSize = 8 << 10

// Run reads the program's output, calls take with each piece, and returns when the program
// has ended and all its output was taken, or after Close. The terminal itself reports the
// end of output only when no process has it open any longer; therefore the end is the
// program's exit, after which Run reads what is left. The bytes are valid during the call,
// and nothing is read during the call; take may be nil if only subscribers need the
// output. The error is the one that ended reading. Run is called once; later calls do
// nothing.
func (t *Terminal) Run(take func([]byte)) error {
	if !t.started.CompareAndSwap(false, true) {
		return nil
	}
	err := t.run(take)
	<-t.tty.Exited()
	t.end()
	return err
}

func (t *Terminal) run(take func([]byte)) error {
	woken := make(chan struct{})
	go func() {
		<-t.tty.Exited()
		_ = t.tty.SetReadDeadline(time.Now()) // an error means that it is closed, which the reader notices itself
		close(woken)
	}()
	buf := make([]byte, readSize)
	exited, drained := false, 0
	for {
		n, err := t.tty.Read(buf)
		if n > 0 {
			t.printed(buf[:n])
			if take != nil {
				take(buf[:n])
			}
		}
		if !exited {
			exited, err = awake(woken, err)
		}
		if exited && err == nil {
			drained += n
			err = t.tty.SetReadDeadline(time.Now().Add(drainGap))
		}
		switch {
		case err == nil && drained <= drainLimit:
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		default:
			return err
		}
	}
}

// Done returns a channel that is closed when Run has ended: nothing more will be printed.
func (t *Terminal) Done() <-chan struct{} { return t.done }

// awake reports whether the program's exit woke the reader, for which the deadline was
// set; a job that continues writing may have kept it from expiring.
func awake(woken <-chan struct{}, err error) (bool, error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		<-woken
		return true, nil
	}
	select {
	case <-woken:
		return true, err
	default:
		return false, err
	}
}

// printed passes output to the screen and the subscribers, and answers queries in it.
func (t *Terminal) printed(b []byte) {
	t.mu.Lock()
	t.taken += int64(len(b))
	t.put(t.echo.hide(t.mask.hide(t.curtain.hide(b))))
	t.answers.feed(b)
	asked := len(t.answers.open) > 0
	t.notifyAll()
	t.mu.Unlock()
	if t.options.OnRead != nil {
		t.options.OnRead(b)
	}
	if asked {
		t.answer()
	}
}

// Taken returns the number of bytes of output read, including what subscribers and OnRead are about to receive.
func (t *Terminal) Taken() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// put puts text on the screen; t.mu is held.
func (t *Terminal) put(b []byte) {
	t.picture.makeRoom(len(b))
	t.out.write(b)
}

// minReplaced is the length of the shortest text that Show replaces.
const minReplaced = 16

// Show puts text on the screen after the output so far, as if the program had printed it.
// Subscribers receive it, and Piece.End counts it. If replaced has 16 bytes or more, the
// next output that equals it is not shown: the text is in its place. Show keeps neither slice.
func (t *Terminal) Show(text, replaced []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.put(t.echo.end())
	t.echo = mask{once: true}
	if len(replaced) >= minReplaced {
		t.echo.text = bytes.Clone(replaced)
	}
	t.put(text)
	t.answers.passOver(text)
	t.notifyAll()
}

// longestHidden is how many bytes HideUntil hides at most.
const longestHidden = 64 << 10

// HideUntil hides further output up to the next occurrence of text in it, but at most 64 KiB: the screen does
// not show it, and subscribers receive NULs in its place. An empty text ends this.
func (t *Terminal) HideUntil(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.put(t.echo.hide(t.mask.hide(t.curtain.end())))
	t.curtain = curtain{left: longestHidden}
	if len(text) > 0 {
		t.curtain.until = bytes.Clone(text)
	}
	t.notifyAll()
}

// end handles the end of the output.
func (t *Terminal) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.put(t.echo.hide(t.mask.hide(t.curtain.end())))
	t.put(t.echo.hide(t.mask.end()))
	t.put(t.echo.end())
	t.notifyAll()
	close(t.done)
}

// notifyAll wakes all goroutines that wait for output; t.mu is held.
func (t *Terminal) notifyAll() {
	for _, s := range t.viewers {
		s.notify()
	}
	if t.news != nil {
		close(t.news)
		t.news = nil
	}
}

// MoreOutput returns a channel that is closed when the program prints more or ends; nil if it
// will print nothing more. A caller that gets the channel before it reads the output
// misses nothing.
func (t *Terminal) MoreOutput() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.news == nil && !t.over {
		t.news = make(chan struct{})
	}
	return t.news
}
