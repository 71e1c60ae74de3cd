package proctree

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Members lists the tree's living processes now. Those seen once stay members
// wherever they move, so looking while the program runs finds more later.
func (t *Tree) Members() []Process {
	living, _, _ := t.look()
	return living
}

// Signal sends a signal to each member, and SIGCONT after it. That a member
// ended meanwhile is no error.
func (t *Tree) Signal(sig syscall.Signal) error {
	var errs []error
	for _, p := range t.Members() {
		errs = append(errs, send(p, sig))
	}
	return errors.Join(errs...)
}

// Wait returns nil when no member is left, a *ResistError when ctx ends first.
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
				return &ResistError{Left: left, Cause: err}
			} // they ended as the time did, and are still to be reaped
		}
	}
	return nil
}

// allEnded waits until all of them ended, or ctx did.
func allEnded(ctx context.Context, list []Process) error {
	for _, p := range list {
		if err := ended(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// quietLooks is how many looks in a row must find nothing at all, neither
// members nor traces of any, before a tree counts as ended.
const quietLooks = 2

// firstSeen identifies the leader. When it is gone already, members are at
// least no older than this process.
func firstSeen(leader int) Process {
	if e, ok := stat(leader); ok {
		return e.Process
	}
	self, _ := stat(os.Getpid()) // without it, zero: no bound at all
	return Process{PID: leader, Start: self.Start}
}

// look takes stock: members that live, and dead ones that are ours to reap.
// whole is false when somebody may have been missed.
func (t *Tree) look() (living, dead []Process, whole bool) {
	adopter := Adopter()
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

// candidates are the processes that can be members: those below the adopter, for
// nobody gets out from under it, or all of the machine.
func candidates(adopter, leader int) (s snapshot, whole bool) {
	if adopter != 0 {
		if s, whole, listed := below(adopter, leader); listed {
			return s, whole
		}
	}
	return scan()
}

// adopted tells whether a child of ours was somebody else's before: one that we
// started is in our session or leads its own.
func (s snapshot) adopted(e entry, self int) bool {
	return e.parent == self && e.sess != s[self].sess && e.sess != e.PID
}

// seeds are the members that need no parent to be known as such.
func (t *Tree) seeds(s snapshot, self, adopter int) map[int]bool {
	set := map[int]bool{}
	ours := s.descend(map[int]bool{self: true, adopter: adopter != 0})
	// Ids are used again. While a session has members its id is not; so the
	// leader's id stands for the tree unless a later process has it now.
	leader, there := s[t.root.PID]
	another := there && leader.Start != t.root.Start
	for pid, e := range s {
		p, known := t.known[pid]
		switch {
		case pid == self || pid == adopter || e.Start < t.root.Start:
		case known && p.Start == e.Start, pid == t.root.PID && !another:
			set[pid] = true
		case e.sess == s[self].sess: // who left our session cannot come back
		case e.sess == t.root.PID && !another,
			t.Sole && adopter != 0 && e.parent == adopter,
			t.tty != "" && (ours[pid] || adopter == 0) && !beforeExec(pid) && holds(pid, t.tty):
			set[pid] = true
		}
	}
	return set
}

// send signals a process and wakes it, if stopped, to act on it.
func send(p Process, sig syscall.Signal) error {
	err := signalOnly(p, sig)
	if err == nil && sig != syscall.SIGKILL {
		err = signalOnly(p, syscall.SIGCONT)
	}
	return err
}

// signalOnly signals a process and no later one with its id.
func signalOnly(p Process, sig syscall.Signal) error {
	fd, err := open(p)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	err = unix.PidfdSendSignal(fd, sig, nil, 0)
	if err == unix.ESRCH || err == unix.EPERM {
		return nil // gone; or another user's, which the wait will report
	}
	return os.NewSyscallError("signal process "+p.String(), err)
}

// open returns a descriptor of the process, -1 when it ended.
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

// ended waits in Go's poller until the process ended, zombie or not, or ctx did.
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
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(past) }) // closed: it ended
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

// past is a deadline that wakes whoever waits.
var past = time.Unix(1, 0)

// reap takes an ended orphan off the process table.
func reap(pid int) {
	for {
		_, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
		if err != unix.EINTR {
			return // ECHILD: somebody else reaped it
		}
	}
}
