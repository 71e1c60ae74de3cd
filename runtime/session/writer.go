package session

import (
	"errors"
	"time"

	"ripple/runtime/pty"
)

// send queues bytes and writes as much as the tty takes.
func (d *driver) send(s string) {
	if s == "" {
		return
	}
	d.out = append(d.out, []byte(s))
	d.write()
}

// write never blocks. What the tty does not take now is written by a goroutine
// that waits for room, while reading goes on.
func (d *driver) write() {
	for len(d.out) > 0 && !d.waiting {
		n, err := d.tty.Write(d.out[0])
		if n > 0 && d.watched() {
			d.observe(EventWrite, d.out[0][:n], "")
		}
		d.out[0] = d.out[0][n:]
		switch {
		case errors.Is(err, pty.ErrWouldBlock):
			d.waiting = true
			go d.writeLater(0)
		case err != nil:
			d.out = nil // the program has ended; the reader reports it
			return
		case len(d.out[0]) == 0:
			d.out = d.out[1:]
			if pause := d.prog.input.pause; pause > 0 && len(d.out) > 0 {
				d.waiting = true
				go d.writeLater(pause)
			}
		}
	}
	if len(d.out) == 0 {
		d.out = nil
	}
}

// writeLater goes on writing after a pause the adapter asked for, or when the
// tty has room.
func (d *driver) writeLater(pause time.Duration) {
	if pause > 0 {
		t := time.NewTimer(pause)
		defer t.Stop()
		select {
		case <-t.C:
		case <-d.dead:
		}
	} else if err := d.tty.WaitWritable(time.Time{}); err != nil {
		return // closed: nobody reads what is left
	}
	d.locked(func() {
		d.waiting = false
		d.write()
	})
}

func (d *driver) lineEnding() string { return d.prog.input.ending }
