package terminal

import (
	"errors"
	"io"
	"os"
	"time"
)

// drainGap is how long the terminal must be silent after the program has ended
// to be taken as empty, and drainLimit how many bytes are read after its end:
// a background job that keeps the terminal open may write for ever.
const (
	drainGap   = 10 * time.Millisecond
	drainLimit = 1 << 20
)

// readSize is more than a terminal gives in one read (4 KiB on Linux).
const readSize = 8 << 10

// Run reads what the program prints, calls take with each piece, and returns
// when the program has ended and all that it printed was taken, or after Close.
// The terminal itself reports the end only when nobody has it open any more;
// so the program's exit is the end, together with what can be read after it.
// The bytes are valid during the call, and while it lasts nothing is read; a nil
// take is for a program that only others look at. The error says what broke.
// Run is called once; after that it does nothing.
func (t *Terminal) Run(take func([]byte)) error {
	if !t.started.CompareAndSwap(false, true) {
		return nil
	}
	err := t.run(take)
	<-t.tty.Exited()
	t.ends()
	return err
}

func (t *Terminal) run(take func([]byte)) error {
	woken := make(chan struct{})
	go func() {
		<-t.tty.Exited()
		_ = t.tty.SetReadDeadline(time.Now()) // closed: the reader knows already
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

// Done is closed when Run is over: nothing more will be printed.
func (t *Terminal) Done() <-chan struct{} { return t.done }

// awake tells whether the program's exit has woken the reader, which that deadline
// was for; a job that goes on writing may have kept it from expiring.
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

// printed keeps what came for those who look, and answers what it asks.
func (t *Terminal) printed(b []byte) {
	if t.options.Read != nil {
		t.options.Read(b)
	}
	t.mu.Lock()
	t.picture.makeRoom(len(b))
	t.out.write(b)
	t.answers.feed(b)
	t.tell()
	taken := t.out.end
	t.mu.Unlock()
	t.answer(taken)
}

// ends says that nothing more will be printed.
func (t *Terminal) ends() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.tell()
	close(t.done)
}

// tell wakes whoever waits for what is printed; t.mu is held.
func (t *Terminal) tell() {
	for _, s := range t.viewers {
		s.notify()
	}
	if t.news != nil {
		close(t.news)
		t.news = nil
	}
}

// Printed is closed when the program has printed something more, or has ended; nil
// when it will not print any more. Who looks after he has asked misses nothing.
func (t *Terminal) Printed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.news == nil && !t.over {
		t.news = make(chan struct{})
	}
	return t.news
}
