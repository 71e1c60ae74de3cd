package pty

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pollLimit is how long a read waits in ppoll(2); a read that waits longer than usual in a dialog
// parks. A thread in a system call keeps its processor of the Go runtime for 10 ms, and all that
// time the runtime's monitor wakes up to check it, every 20 µs at first: next to a program that
// prints 60 times a second that costs as much as all its output.
const pollLimit = 300 * time.Microsecond

// parking is where a read waits then: in Go's poller, on an epoll(7) that watches the terminal only
// while a read is parked, so that nothing else wakes the poller.
type parking struct {
	file   *os.File
	raw    syscall.RawConn
	events [1]unix.EpollEvent
	ready  func(fd uintptr) bool // bound once so that a read allocates nothing

	mu     sync.Mutex // guards parked and the file's deadline
	parked bool       // a read is parked
}

// open creates the epoll descriptor. Without it no read parks.
func (p *parking) open(terminal int) error {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	_ = unix.SetNonblock(fd, true) // it cannot fail: the descriptor is open and has the flag
	file := os.NewFile(uintptr(fd), "epoll")
	raw, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // checks that the poller supports it
	}
	if err == nil {
		err = os.NewSyscallError("epoll_ctl", unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, terminal, &unix.EpollEvent{Events: unix.EPOLLONESHOT}))
	}
	if err != nil {
		_ = file.Close() // nothing is lost
		return err
	}
	p.ready = func(fd uintptr) bool {
		n, err := unix.EpollWait(int(fd), p.events[:], 0)
		return n > 0 || err != nil
	}
	p.file, p.raw = file, raw
	return nil
}

func (p *parking) close() {
	if p.file != nil {
		_ = p.file.Close() // nothing is lost
	}
}

// setDeadline sets the deadline of a parked read, which wakes it when the deadline passes, and
// reports whether a read is parked. Unix nanoseconds; 0: none.
func (p *parking) setDeadline(deadline int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parked && p.until(deadline) == nil
}

func (p *parking) until(deadline int64) error {
	if deadline == 0 {
		return p.file.SetReadDeadline(time.Time{})
	}
	return p.file.SetReadDeadline(time.Unix(0, deadline))
}

// park returns when there is something to read or to check again, or after the deadline. It reports
// whether parking was possible.
func (r *reader) park(terminal int) bool {
	p := &r.parking
	if p.file == nil {
		return false
	}
	defer p.leave()
	if err := r.parkUntilDeadline(); err != nil {
		return true // there is something to check again
	}
	var asked error
	err := p.raw.Control(func(fd uintptr) {
		asked = unix.EpollCtl(int(fd), unix.EPOLL_CTL_MOD, terminal, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT})
	})
	if err != nil || asked != nil {
		return false
	}
	_ = p.raw.Read(p.ready) // its error is the deadline, which the read checks itself
	return true
}

// parkUntilDeadline hands the read's deadline to the poller, and fails if it has passed. From now on
// setReadDeadline and close find a parked read.
func (r *reader) parkUntilDeadline() error {
	p := &r.parking
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parked = true
	if _, late := r.remaining(); late != nil {
		return late
	}
	return p.until(r.deadline.Load())
}

func (p *parking) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parked = false
}
