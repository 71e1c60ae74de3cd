package pty

import (
	"encoding/binary"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// reader reads the master in a thread of its own: a read that finds nothing
// waits in ppoll(2) on the master and on an eventfd that wakes it for a new
// deadline or for close. Going through Go's poller at once costs a shell's
// round trip a fifth more (BenchmarkRoundTrip), so only a long wait does.
type reader struct {
	mu   sync.Mutex // one Read at a time
	buf  []byte
	n    int
	err  error
	fds  [2]unix.PollFd
	step func(fd uintptr) // made once so that a read allocates nothing
	calm bool             // the last read got little: the next will have to wait

	takeMu sync.Mutex // bytes move from the terminal to total
	total  int64      // how many were read so far

	waitMu sync.Mutex // one waitWritable at a time

	wakeMu   sync.Mutex // eventfd is open while it is held and closed is false
	wakeFD   int
	closed   atomic.Bool
	deadline atomic.Int64 // Unix nanoseconds; 0: none

	parking parking

	look looker
}

// trickle is how many bytes a read has to get for the next one to be tried
// before waiting, which in a dialog would be a system call for nothing.
const trickle = 1024

func (r *reader) open(terminal int) (err error) {
	r.step = r.readFD
	r.wakeFD, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK|unix.EFD_SEMAPHORE)
	if err != nil {
		return os.NewSyscallError("eventfd", err)
	}
	_ = r.parking.open(terminal) // who cannot park waits in ppoll
	return nil
}

func (d *device) read(b []byte) (int, error) {
	r := &d.reader
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf, r.n, r.err = b, 0, nil
	if err := d.raw.Control(r.step); err != nil {
		r.err = os.ErrClosed // Control fails for nothing else
	}
	r.buf = nil
	return r.n, r.err
}

// readFD reads once; the descriptor stays open meanwhile. What is there is read
// after the deadline too: a thread may come to it late.
func (r *reader) readFD(fd uintptr) {
	for len(r.buf) > 0 {
		left, late := r.remaining()
		if late == os.ErrClosed {
			r.err = late
			return
		}
		if r.calm && late == nil {
			r.calm = false
			r.wait(int32(fd), left)
			continue
		}
		n, err := r.take(int(fd))
		switch err {
		case nil, unix.EIO:
			r.calm = n < trickle
			r.n, r.err = endOfOutput(max(n, 0), err)
			return
		case unix.EINTR:
		case unix.EAGAIN:
			if late != nil {
				r.err = late
				return
			}
			r.wait(int32(fd), left)
		default:
			r.err = os.NewSyscallError("read from the terminal", err)
			return
		}
	}
}

func (r *reader) take(fd int) (int, error) {
	r.takeMu.Lock()
	defer r.takeMu.Unlock()
	n, err := unix.Read(fd, r.buf)
	r.total += int64(max(n, 0))
	return n, err
}

// readable looks for output beyond what was taken. No byte is on its way from
// the terminal to the count meanwhile.
func (d *device) readable(taken int64) bool {
	r := &d.reader
	r.takeMu.Lock()
	defer r.takeMu.Unlock()
	return r.total > taken || d.inTerminal()
}

// remaining is the time until the deadline; 0: there is none.
func (r *reader) remaining() (time.Duration, error) {
	if r.closed.Load() {
		return 0, os.ErrClosed
	}
	at := r.deadline.Load()
	if at == 0 {
		return 0, nil
	}
	left := time.Until(time.Unix(0, at))
	if left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return left, nil
}

// wait returns when there is something to read, to reconsider, or no time left.
func (r *reader) wait(fd int32, left time.Duration) {
	if left != 0 && left <= brief {
		r.poll(fd, left)
	} else if !r.poll(fd, brief) && !r.park(int(fd)) {
		r.poll(fd, left)
	}
}

// poll says whether there is something to read or to reconsider; no time left means no limit.
func (r *reader) poll(fd int32, left time.Duration) bool {
	r.fds[0] = unix.PollFd{Fd: fd, Events: unix.POLLIN}
	r.fds[1] = unix.PollFd{Fd: int32(r.wakeFD), Events: unix.POLLIN}
	ppoll(r.fds[:], left)
	if r.fds[1].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(r.wakeFD, count[:]) // empty: somebody else's wake-up was taken along
	}
	return r.fds[0].Revents != 0 || r.fds[1].Revents != 0
}

// ppoll waits; no time left means no limit. What it reports as an error the next
// read or write will report better.
func ppoll(fds []unix.PollFd, left time.Duration) {
	if left == 0 {
		_, _ = unix.Ppoll(fds, nil, nil)
		return
	}
	timeout := unix.NsecToTimespec(int64(left))
	_, _ = unix.Ppoll(fds, &timeout, nil)
}

// waitWritable waits for room like a read for output. A wake-up for the reader is
// left to it; that of close stays for both.
func (d *device) waitWritable(deadline time.Time) error {
	r := &d.reader
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	for {
		left := time.Duration(0)
		if !deadline.IsZero() {
			if left = time.Until(deadline); left <= 0 {
				return os.ErrDeadlineExceeded
			}
		}
		var room bool
		if err := d.control(func(fd int) error {
			if !r.closed.Load() {
				fds := [2]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}, {Fd: int32(r.wakeFD), Events: unix.POLLIN}}
				ppoll(fds[:], left)
				room = fds[0].Revents != 0
			}
			return nil
		}); room || err != nil {
			return err
		}
	}
}

// forever is more wake-ups than are ever taken.
const forever = 1 << 40

// wake adds wake-ups; a waiting read takes one of them and looks again.
func (r *reader) wake(count uint64) {
	_, _ = unix.Write(r.wakeFD, binary.NativeEndian.AppendUint64(nil, count)) // full: it is awake as it is
}

func (d *device) setReadDeadline(t time.Time) error {
	r := &d.reader
	r.wakeMu.Lock()
	defer r.wakeMu.Unlock()
	if r.closed.Load() {
		return os.ErrClosed
	}
	at := int64(0)
	if !t.IsZero() {
		at = max(1, t.UnixNano())
	}
	r.deadline.Store(at)
	if !r.parking.move(at) {
		r.wake(1)
	}
	return nil
}

func (d *device) close() error {
	r := &d.reader
	r.wakeMu.Lock()
	defer r.wakeMu.Unlock()
	if r.closed.Swap(true) {
		return os.ErrClosed
	}
	r.wake(forever)
	r.parking.move(1) // it is over
	d.retire()
	err := d.file.Close()
	// Until a running read and wait have returned.
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	_ = unix.Close(r.wakeFD) // nothing is lost with it
	r.parking.close()
	r.look.close()
	return err
}
