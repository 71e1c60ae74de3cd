package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/session/internal/machine"
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

// read is the reader's loop; it ends with the program. The terminal itself
// reports the end only when nobody has it open any more, so the program's exit
// wakes the reader, which then takes what is left.
func (d *driver) read() {
	woken := make(chan struct{})
	go func() {
		<-d.tty.Exited()
		_ = d.tty.SetReadDeadline(time.Now()) // closed: the reader knows already
		close(woken)
	}()
	buf := make([]byte, readSize)
	exited, drained := false, 0
	for {
		n, err := d.tty.Read(buf)
		if n > 0 && d.happened(func() { d.take(buf[:n]) }) {
			runtime.Gosched() // whoever was woken goes on before this thread waits in the kernel
		}
		d.printer.await()
		if !exited {
			exited, err = awake(woken, err)
		}
		if exited && err == nil {
			drained += n
			err = d.tty.SetReadDeadline(time.Now().Add(drainGap))
		}
		if err != nil || drained > drainLimit {
			d.ends(err)
			return
		}
	}
}

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

// take is one read.
func (d *driver) take(b []byte) {
	d.received, d.readAt = d.received+int64(len(b)), time.Now()
	if d.watched() && (d.detect.injected == nil || !d.prog.unmirrored) {
		d.observe(EventRead, b, "")
	}
	d.feed(b)
	d.payInterrupt()
}

// ends is the end of the stream: whatever runs is over.
func (d *driver) ends(err error) {
	<-d.tty.Exited()
	d.happened(func() {
		for p := range d.detect.rest() {
			d.piece(p)
		}
		code, signal := d.tty.ExitStatus()
		d.exit = &ExitError{Code: code, Signal: signal}
		if !d.stream.used {
			d.exit.Output = prompt.Visible(d.stream.startup)
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
			d.failure = fmt.Errorf("reading from the program: %w", err)
		}
		d.observe(EventExit, nil, d.exit.Error())
		d.step(machine.Input{Kind: machine.InExit})
		d.settleEffects()
	})
	close(d.dead)
}
