package pty

import (
	"encoding/binary"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// reader reads the master in its own thread: a read that finds nothing waits in ppoll(2) on the
// master and on an eventfd that wakes it for a new deadline or for close. Using Go's poller for
// every read would make a shell's round trip 20 % slower (BenchmarkRoundTrip), so only a long wait
// does.
type reader struct {
	mu   sync.Mutex // one Read at a time
	buf  []byte
	n    int
	err  error
	fds  [2]unix.PollFd
	step func(fd uintptr) // bound once so that a read allocates nothing
	idle bool             // the last read got little: the next one will have to wait

	takeMu sync.Mutex // guards the transfer of bytes from the terminal to total
	total  int64      // number of bytes read so far

	waitMu sync.Mutex // one waitWritable at a time

	wakeMu   sync.Mutex // eventfd is open while it is held and closed is false
	wakeFD   int
	closed   atomic.Bool
	deadline atomic.Int64 // Unix nanoseconds; 0: none

	parking parking

	probe prober
}

// smallRead is how many bytes a read must get for the next one to be tried before waiting; in a
// dialog that would be a wasted system call.
const smallRead = 1024

func (r *reader) open(terminal int) (err error) {
	r.step = r.readFD
	r.wakeFD, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK|unix.EFD_SEMAPHORE)
	if err != nil {
		return os.NewSyscallError("eventfd", err)
	}
	_ = r.parking.open(terminal) // without parking, reads wait in ppoll
	return nil
}

func (d *device) read(b []byte) (int, error) {
	r := &d.reader
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf, r.n, r.err = b, 0, nil
	if err := d.raw.Control(r.step); err != nil {
		r.err = os.ErrClosed // Control has no other error
	}
	r.buf = nil
	return r.n, r.err
}

// readFD reads once; the descriptor stays open meanwhile. Available output is read even
// after the deadline, since a thread may be scheduled late.
func (r *reader) readFD(fd uintptr) {
	for len(r.buf) > 0 {
		left, late := r.remaining()
		if late == os.ErrClosed {
			r.err = late
			return
		}
		if r.idle && late == nil {
			r.idle = false
			r.wait(int32(fd), left)
			continue
		}
		n, err := r.take(int(fd))
		switch err {
		case nil, unix.EIO:
			r.idle = n < smallRead
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

// readable checks for output beyond the taken bytes. The lock ensures that no byte is between the
// terminal and the count meanwhile.
func (d *device) readable(taken int64) bool {
	r := &d.reader
	r.takeMu.Lock()
	defer r.takeMu.Unlock()
	return r.total > taken || d.inTerminal()
}

// remaining returns the time until the deadline; 0: there is none.
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

// wait returns when there is something to read or to check again, or after the time left.
func (r *reader) wait(fd int32, left time.Duration) {
	if left != 0 && left <= pollLimit {
		r.poll(fd, left)
	} else if !r.poll(fd, pollLimit) && !r.park(int(fd)) {
		r.poll(fd, left)
	}
}

// poll reports whether there is something to read or to check again; left 0 means no limit.
func (r *reader) poll(fd int32, left time.Duration) bool {
	r.fds[0] = unix.PollFd{Fd: fd, Events: unix.POLLIN}
	r.fds[1] = unix.PollFd{Fd: int32(r.wakeFD), Events: unix.POLLIN}
	ppoll(r.fds[:], left)
	if r.fds[1].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(r.wakeFD, count[:]) // empty: another read consumed the wake-up
	}
	return r.fds[0].Revents != 0 || r.fds[1].Revents != 0
}

// ppoll waits; left 0 means no limit. The next read or write reports errors better.
func ppoll(fds []unix.PollFd, left time.Duration) {
	if left == 0 {
		_, _ = unix.Ppoll(fds, nil, nil)
		return
	}
	timeout := unix.NsecToTimespec(int64(left))
	_, _ = unix.Ppoll(fds, &timeout, nil)
}

// waitWritable waits for room like a read for output. It leaves a wake-up for the reader to the
// reader; a wake-up by close remains for both.
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

// forever is more wake-ups than are ever consumed.
const forever = 1 << 40

// wake adds wake-ups; a waiting read consumes one of them and checks again.
func (r *reader) wake(count uint64) {
	_, _ = unix.Write(r.wakeFD, binary.NativeEndian.AppendUint64(nil, count)) // an error means full: the reader is awake anyway
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
	if !r.parking.setDeadline(at) {
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
	r.parking.setDeadline(1) // a past deadline
	d.retire()
	err := d.file.Close()
	// Wait until a running read and waitWritable have returned.
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	_ = unix.Close(r.wakeFD) // nothing is lost
	r.parking.close()
	r.probe.close()
	return err
}
