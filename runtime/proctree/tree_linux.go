package proctree

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Members lists the tree's living processes. A process that was seen once stays a member wherever
// it moves, so calls while the program runs help to find more later.
func (t *Tree) Members() []Process {
	living, _, _ := t.look()
	return living
}

// Signal sends a signal, and then SIGCONT, to each member. A member that has ended
// meanwhile does not cause an error.
func (t *Tree) Signal(sig syscall.Signal) error {
	var errs []error
	for _, p := range t.Members() {
		errs = append(errs, send(p, sig))
	}
	return errors.Join(errs...)
}

// Wait returns nil when no member is left, and a *SurvivorsError if ctx ends first.
func (t *Tree) Wait(ctx context.Context) error {
	for quiet := 0; quiet < quietLooks; {
		living, dead, whole := t.look()
		for _, p := range dead {
			reap(p.PID)
		}
		quiet++
		if len(living)+len(dead) > 0 || !whole && ctx.Err() == nil {
			quiet = 0
		}
		if err := allEnded(ctx, living); err != nil {
			if left := t.Members(); len(left) > 0 {
				return &SurvivorsError{Survivors: left, Cause: err}
			} // they ended at the deadline, and must still be reaped
		}
	}
	return nil
}

// allEnded waits until all processes have ended, or until ctx ends.
func allEnded(ctx context.Context, list []Process) error {
	for _, p := range list {
		if err := ended(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// quietLooks is how many scans in a row must find nothing, neither members nor traces of any,
// before a tree counts as ended.
const quietLooks = 2

// firstSeen identifies the leader. If it has already ended, members are at least not older than
// this process.
func firstSeen(leader int) Process {
	if e, ok := stat(leader); ok {
		return e.Process
	}
	self, _ := stat(os.Getpid()) // zero on failure: no lower bound
	return Process{PID: leader, Start: self.Start}
}

// look returns the members that are alive, and dead ones that this process must reap. whole is
// false if a process may have been missed.
func (t *Tree) look() (living, dead []Process, whole bool) {
	adopter := ReaperPID()
	s, whole := candidates(adopter, t.root.PID)
	self := os.Getpid()
	for pid := range s.descend(t.seeds(s, self, adopter)) {
		if e, ok := s[pid]; ok {
			t.known[pid] = e.Process
		}
	}
	for pid, p := range t.known {
		e, ok := s[pid]
		switch {
		case !ok || e.Start != p.Start:
			delete(t.known, pid)
		case !e.zombie():
			living = append(living, p)
		case e.parent == self && pid != t.root.PID:
			dead = append(dead, p)
		}
	}
	for pid, e := range s {
		if _, known := t.known[pid]; !known && e.zombie() && s.adopted(e, self) {
			dead = append(dead, e.Process)
		}
	}
	return living, dead, whole
}

// candidates returns the processes that can be members: those below the adopter, which they cannot
// leave, or all processes of the machine.
func candidates(adopter, leader int) (s snapshot, whole bool) {
	if adopter != 0 {
		if s, whole, listed := below(adopter, leader); listed {
			return s, whole
		}
	}
	return scan()
}

// adopted reports whether a child of this process was a child of another one before: a
// process started here is in this process's session or leads its own.
func (s snapshot) adopted(e entry, self int) bool {
	return e.parent == self && e.sess != s[self].sess && e.sess != e.PID
}

// seeds returns the members that are known as such without their parent.
func (t *Tree) seeds(s snapshot, self, adopter int) map[int]bool {
	set := map[int]bool{}
	ours := s.descend(map[int]bool{self: true, adopter: adopter != 0})
	// Ids are reused, but the id of a session is not while the session has members; so the leader's
	// id identifies the tree unless a later process has it now.
	leader, there := s[t.root.PID]
	another := there && leader.Start != t.root.Start
	for pid, e := range s {
		p, known := t.known[pid]
		switch {
		case pid == self || pid == adopter || e.Start < t.root.Start:
		case known && p.Start == e.Start, pid == t.root.PID && !another:
			set[pid] = true
		case e.sess == s[self].sess: // a process that left this session cannot return
		case e.sess == t.root.PID && !another,
			t.OwnsOrphans && adopter != 0 && e.parent == adopter,
			t.tty != "" && (ours[pid] || adopter == 0) && !beforeExec(pid) && holds(pid, t.tty):
			set[pid] = true
		}
	}
	return set
}

// send signals a process and continues it, if stopped, so that it can react.
func send(p Process, sig syscall.Signal) error {
	err := signalOnly(p, sig)
	if err == nil && sig != syscall.SIGKILL {
		err = signalOnly(p, syscall.SIGCONT)
	}
	return err
}

// signalOnly signals a process, but not a later one with the same id.
func signalOnly(p Process, sig syscall.Signal) error {
	fd, err := open(p)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	err = unix.PidfdSendSignal(fd, sig, nil, 0)
	if err == unix.ESRCH || err == unix.EPERM {
		return nil // gone; or another user's, which Wait reports
	}
	return os.NewSyscallError("signal process "+p.String(), err)
}

// open returns a descriptor of the process, or -1 if it has ended.
func open(p Process) (fd int, err error) {
	fd, err = unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if err == unix.ESRCH || err == unix.EINVAL {
		return -1, nil
	}
	if err != nil {
		return -1, os.NewSyscallError("open process "+p.String(), err)
	}
	if e, ok := stat(p.PID); !ok || e.Start != p.Start {
		_ = unix.Close(fd) // a later process with the same id
		return -1, nil
	}
	return fd, nil
}

// ended waits in Go's poller until the process has ended, zombie or not, or until ctx ends.
func ended(ctx context.Context, p Process) error {
	fd, err := open(p)
	if err != nil || fd < 0 {
		return err
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(past) }) // an error means that it is closed: the wait is over
	defer stop()
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return err == nil && n > 0
	})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ctx.Err()
	}
	return err
}

// past is a deadline that wakes all waiting readers.
var past = time.Unix(1, 0)

// reap reaps an ended orphan.
func reap(pid int) {
	for {
		_, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
		if err != unix.EINTR {
			return // ECHILD: another goroutine reaped it
		}
	}
}
