package pty

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// brief is how long a read waits in ppoll(2); who waits longer than a dialog takes parks.
// A thread in a system call keeps its processor of the Go runtime for 10 ms, and all that
// time the runtime's monitor wakes up to look at it, every 20 µs at first: beside a program
// that prints 60 times a second that takes as much as all its output does.
const brief = 300 * time.Microsecond

// parking is where a read waits then: in Go's poller, on an epoll(7) that asks for the
// terminal only while somebody is parked, so that nothing else wakes the poller.
type parking struct {
	file   *os.File
	raw    syscall.RawConn
	events [1]unix.EpollEvent
	ready  func(fd uintptr) bool // made once so that a read allocates nothing

	mu    sync.Mutex // guards taken, and which deadline the file has
	taken bool       // somebody is parked
}

// open makes the epoll. Without it nobody parks.
func (p *parking) open(terminal int) error {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	_ = unix.SetNonblock(fd, true) // it is open, and has such a flag
	file := os.NewFile(uintptr(fd), "epoll")
	raw, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // whether the poller has it
	}
	if err == nil {
		err = os.NewSyscallError("epoll_ctl", unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, terminal, &unix.EpollEvent{Events: unix.EPOLLONESHOT}))
	}
	if err != nil {
		_ = file.Close() // nothing is lost with it
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
		_ = p.file.Close() // nothing is lost with it
	}
}

// move moves the deadline of who is parked, which wakes it when that is over, and says
// whether anybody is. Unix nanoseconds; 0: none.
func (p *parking) move(deadline int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken && p.until(deadline) == nil
}

func (p *parking) until(deadline int64) error {
	if deadline == 0 {
		return p.file.SetReadDeadline(time.Time{})
	}
	return p.file.SetReadDeadline(time.Unix(0, deadline))
}

// park returns when there is something to read or to reconsider, or after the deadline.
// It says whether it could.
func (r *reader) park(terminal int) bool {
	p := &r.parking
	if p.file == nil {
		return false
	}
	defer p.leave()
	if err := r.occupy(); err != nil {
		return true // there is something to reconsider
	}
	var asked error
	err := p.raw.Control(func(fd uintptr) {
		asked = unix.EpollCtl(int(fd), unix.EPOLL_CTL_MOD, terminal, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT})
	})
	if err != nil || asked != nil {
		return false
	}
	_ = p.raw.Read(p.ready) // its error is the deadline, for which the read looks itself
	return true
}

// occupy hands the read's deadline to the poller, and fails when the time is over. From now
// on setReadDeadline and close find somebody parked.
func (r *reader) occupy() error {
	p := &r.parking
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = true
	if _, late := r.remaining(); late != nil {
		return late
	}
	return p.until(r.deadline.Load())
}

func (p *parking) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = false
}
