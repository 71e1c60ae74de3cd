package pty

import (
	"bytes"
	"math"
	"math/bits"
	"path"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// maxProcesses bounds the check of a foreground group that grows meanwhile.
const maxProcesses = 256

func (p *PTY) readiness() Readiness {
	look := &p.dev.probe
	look.mu.Lock()
	defer look.mu.Unlock()
	group, err := p.dev.foreground()
	if err != nil || group <= 0 {
		return Readiness{}
	}
	r := Readiness{Leader: group == p.leader.Pid}
	look.tty, look.leader, look.group = p.dev.name, p.leader.Pid, group
	look.listens, look.reads, look.only, look.notices, look.timed = false, false, false, false, false
	look.seen, look.denied, look.works = false, false, false
	look.place, look.polled = Place{}, Place{}
	todo := append(make([]member, 0, 16), member{p.leader.Pid, false})
	if !r.Leader {
		todo = append(todo, member{group, true})
	}
	for i := 0; i < len(todo) && i < maxProcesses; i++ {
		if i > 1 && todo[i].pid == group && !r.Leader {
			continue // already checked
		}
		state := look.process(todo[i], &todo)
		if state > 0 {
			r.State, r.PID = state, todo[i].pid
		}
		if state == Busy {
			break
		}
	}
	if r.State == Unknown && r.Leader { // it may have ended meanwhile, and left the terminal
		now, err := p.dev.foreground()
		r.Leader = err == nil && now == group
	}
	r.Only, r.Notices = r.State == Waiting && look.only, r.State == Waiting && look.notices
	if look.listens {
		r.Place = look.place
	}
	if look.reads && look.place.Call != unix.SYS_READV {
		r.Size = int(min(look.place.Args[2], math.MaxInt))
	}
	r.Listens, r.Read, r.Timed = look.listens, look.reads, r.State == Unknown && look.timed
	if r.Timed {
		r.Polls = look.polled
	}
	r.Hidden = r.State == Unknown && !look.listens && (look.denied && !look.works || !look.seen && foreign(group))
	return r
}

// prober reads /proc about one group of processes on one terminal.
type prober struct {
	mu      sync.Mutex
	tty     string // "/dev/pts/3"
	leader  int    // the process whose files stay open
	group   int
	buf     [4096]byte
	fds     [1024]byte         // of a poll or select call, read from the process
	listens bool               // some thread waits for the terminal
	reads   bool               // it does so in a read of the terminal
	only    bool               // a process waits for the terminal and nothing else
	notices bool               // a process waits for the terminal and notices
	nested  bool               // the last descriptor examined is an epoll descriptor, which may contain others
	waits   waits              // of the process being checked
	timed   bool               // some thread waits for the terminal with a timeout
	seen    bool               // the group has a process
	denied  bool               // the kernel hides the state of one of its processes
	works   bool               // a process that the group started in another session runs
	waiter  [2]int             // process and thread last found waiting
	place   Place              // where they wait
	polled  Place              // where the thread last found waiting with a timeout does
	open    map[threadFile]int // descriptors
}

// waits describes what the threads of a process wait for.
type waits struct {
	parked  int  // threads that wait for another thread, or for a signal
	only    bool // some thread waits for the terminal and nothing else
	notices bool // some thread waits for the terminal and notices
}

// member is a process to check.
type member struct {
	pid int
	job bool // it belongs to a job, which is not the started program, or was started by one
}

// process checks each thread of a process and appends its children, found through each of its
// threads, to children. A process outside the group, or a stopped one, only contributes its
// children. If a job has started it without a controlling terminal, as su does, it may read this
// terminal although it is in no group of it: it may be Waiting, but not Busy.
func (l *prober) process(m member, children *[]member) ReadyState {
	pid := m.pid
	stat := parseStat(l.thread(pid, pid, "stat"))
	apart := m.job && stat.tty == 0 && stat.threads > 0
	asked := (stat.group == l.group || apart) && stat.state != 'T' && stat.state != 't' // Z: other threads may be alive
	l.seen = l.seen || stat.group == l.group
	l.works = l.works || apart && stat.busy()
	m.job = m.job || stat.group == l.group && l.group != l.leader
	best := Unknown
	if stat.group == l.group && stat.busy() {
		best = Busy
	}
	l.waits = waits{}
	for _, tid := range l.threads(pid, stat.threads) {
		for f := range bytes.FieldsSeq(l.thread(pid, tid, "children")) {
			if n, err := strconv.Atoi(string(f)); err == nil {
				*children = append(*children, member{n, m.job})
			}
		}
		if !asked {
			continue
		}
		switch state := l.blocked(pid, tid); {
		case state == Busy, best == Unknown:
			best = state
		}
	}
	if l.waits.parked == stat.threads-1 {
		l.only, l.notices = l.only || l.waits.only, l.notices || l.waits.notices
	}
	if apart && best == Busy {
		return Unknown
	}
	return best
}

// blocked returns the state in which a thread is blocked. The system call says more than
// the thread's state and costs half; /proc/…/wchan adds nothing to it.
func (l *prober) blocked(pid, tid int) ReadyState {
	line := l.thread(pid, tid, "syscall")
	if bytes.HasPrefix(line, []byte("running")) {
		return Busy
	}
	nr, args, stack, ok := parseSyscall(line)
	l.denied = l.denied || len(line) == 0 && denied(pid, tid)
	kind := calls[nr]
	if ok && isUntimedWait(nr, args) {
		l.waits.parked++
	}
	place := Place{PID: pid, Call: nr, Args: [3]uint64(args[:3]), Stack: stack}
	switch {
	case ok && (!l.listens || kind == callRead) && l.onTerminal(pid, kind, args, place):
		l.waiter, l.listens, l.place = [2]int{pid, tid}, true, place
		return Waiting
	case kind == callExit:
		return Busy
	case kind == 0 || kind == callRead: // it may wait for a disk
		if tid != pid && parseStat(l.thread(pid, tid, "stat")).busy() {
			return Busy
		}
	}
	return Unknown
}

// onTerminal reports whether a blocked system call waits for input on the terminal without a
// timeout. Argument orders: read(2), select(2), poll(2), epoll_wait(2).
func (l *prober) onTerminal(pid int, kind call, a [6]uint64, at Place) bool {
	in, timed, others := false, false, false
	l.nested = false
	switch kind {
	case callRead:
		in = l.isTerminal(pid, int(a[0]))
		l.reads = l.reads || in
	case callSelect:
		in, timed = a[1] != 0 && l.selects(pid, int(a[0]), a[1]), a[4] != 0
		others = l.selected(pid, int(a[0]), a[1]) != 1
	case callPoll:
		in, timed, others = l.polls(pid, a[0], a[1]), int32(a[2]) >= 0, a[1] != 1
	case callPpoll:
		in, timed, others = l.polls(pid, a[0], a[1]), a[2] != 0, a[1] != 1
	case callEpoll:
		in, timed, others = l.epolls(pid, int(a[0])), int32(a[3]) >= 0, true
	case callEpoll2:
		in, timed, others = l.epolls(pid, int(a[0])), a[3] != 0, true
	}
	if in && timed {
		l.timed, l.polled = true, at
	}
	if in && !timed && !l.nested {
		l.waits.only = l.waits.only || !others
		l.waits.notices = l.waits.notices || others && (kind == callPoll || kind == callPpoll) && l.pollsNotices(pid, a[0], a[1])
	}
	return in && !timed
}

// isUntimedWait reports whether a call waits for another thread, futex(2), or for a signal,
// rt_sigtimedwait(2), without a timeout. In vim, a thread of glibc's timers waits for a signal.
func isUntimedWait(nr int, a [6]uint64) bool {
	const wait, waitBitset, command = 0, 9, 0x7f
	switch op := a[1] & command; nr {
	case unix.SYS_FUTEX:
		return (op == wait || op == waitBitset) && a[3] == 0
	case unix.SYS_RT_SIGTIMEDWAIT:
		return a[2] == 0
	}
	return false
}

// selects looks for the terminal in the set of a select call. The kernel works on a copy, so the
// caller's set is unchanged.
func (l *prober) selects(pid, nfds int, set uint64) bool {
	members := l.memory(pid, set, (min(nfds, 1024)+7)/8)
	for fd := 0; fd < min(nfds, len(members)*8); fd++ {
		if members[fd/8]&(1<<(fd%8)) != 0 && l.leadsToTerminal(pid, fd) {
			return true
		}
	}
	return false
}

// selected counts the descriptors in the set.
func (l *prober) selected(pid, nfds int, set uint64) (n int) {
	for _, b := range l.memory(pid, set, (min(nfds, 1024)+7)/8) {
		n += bits.OnesCount8(b)
	}
	return n
}

// polls looks for the terminal in an array of struct pollfd.
func (l *prober) polls(pid int, array, n uint64) bool {
	const size, events = 8, 4 // of the struct; offset of events in it
	for m := l.memory(pid, array, int(min(n, uint64(len(l.fds)/size)))*size); len(m) >= size; m = m[size:] {
		fd := int32(uint32(m[0]) | uint32(m[1])<<8 | uint32(m[2])<<16 | uint32(m[3])<<24)
		if fd >= 0 && m[events]&unix.POLLIN != 0 && l.leadsToTerminal(pid, int(fd)) {
			return true
		}
	}
	return false
}

// pollsNotices reports whether isNotice is true for all files of an array of struct pollfd except the
// terminal.
func (l *prober) pollsNotices(pid int, array, n uint64) bool {
	const size = 8 // of the struct
	m := l.memory(pid, array, int(min(n, uint64(len(l.fds)/size)))*size)
	if n == 0 || len(m) != int(n)*size {
		return false // too many, or they cannot be read
	}
	for ; len(m) >= size; m = m[size:] {
		fd := int(int32(uint32(m[0]) | uint32(m[1])<<8 | uint32(m[2])<<16 | uint32(m[3])<<24))
		if fd >= 0 && !l.isTerminal(pid, fd) && !l.isNotice(pid, fd) {
			return false
		}
	}
	return true
}

// isNotice reports whether a descriptor is an eventfd, an inotify queue or a named pipe.
func (l *prober) isNotice(pid, fd int) bool {
	link := l.link(pid, fd)
	if link == "anon_inode:[eventfd]" || link == "anon_inode:inotify" {
		return true
	}
	if !path.IsAbs(link) {
		return false
	}
	var st unix.Stat_t
	err := unix.Stat("/proc/"+strconv.Itoa(pid)+"/fd/"+strconv.Itoa(fd), &st)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}

// epolls looks for the terminal among the files that an epoll descriptor watches; see "fdinfo" in
// proc(5).
func (l *prober) epolls(pid, epfd int) bool {
	info := bytes.Clone(l.file("/proc/" + strconv.Itoa(pid) + "/fdinfo/" + strconv.Itoa(epfd)))
	for line := range bytes.Lines(info) {
		f := bytes.Fields(line)
		if len(f) < 4 || string(f[0]) != "tfd:" || string(f[2]) != "events:" {
			continue
		}
		fd, err := strconv.Atoi(string(f[1]))
		events, err2 := strconv.ParseUint(string(f[3]), 16, 32)
		if err == nil && err2 == nil && events&unix.EPOLLIN != 0 && l.isTerminal(pid, fd) {
			return true
		}
	}
	return false
}

// leadsToTerminal reports whether a descriptor is the terminal or an epoll descriptor that watches
// it.
func (l *prober) leadsToTerminal(pid, fd int) bool {
	link := l.link(pid, fd)
	l.nested = link == "anon_inode:[eventpoll]"
	return l.names(link) || l.nested && l.epolls(pid, fd)
}

func (l *prober) isTerminal(pid, fd int) bool { return l.names(l.link(pid, fd)) }

// names reports whether a link is the terminal's; /dev/tty is the controlling terminal, which is
// this one.
func (l *prober) names(link string) bool { return link == l.tty || link == "/dev/tty" }

func (l *prober) link(pid, fd int) string {
	n, _ := unix.Readlink("/proc/"+strconv.Itoa(pid)+"/fd/"+strconv.Itoa(fd), l.buf[:])
	if text := l.buf[:max(n, 0)]; string(text) != l.tty { // -1: there is none
		return string(text)
	}
	return l.tty
}

// memory reads n bytes of the process; it returns fewer if that fails.
func (l *prober) memory(pid int, address uint64, n int) []byte {
	if n <= 0 {
		return nil
	}
	local := unix.Iovec{Base: &l.fds[0]}
	local.SetLen(min(n, len(l.fds)))
	remote := unix.RemoteIovec{Base: uintptr(address), Len: min(n, len(l.fds))}
	got, err := unix.ProcessVMReadv(pid, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	if err != nil {
		return nil
	}
	return l.fds[:got]
}

// threads lists the threads of a process that has count of them.
func (l *prober) threads(pid, count int) []int {
	if count == 1 {
		return []int{pid}
	}
	fd, err := unix.Open(path.Join("/proc", strconv.Itoa(pid), "task"), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var tids []int
	for {
		n, err := unix.ReadDirent(fd, l.buf[:])
		if err != nil || n <= 0 {
			return tids
		}
		_, _, names := unix.ParseDirent(l.buf[:n], -1, nil)
		for _, name := range names {
			if tid, err := strconv.Atoi(name); err == nil {
				tids = append(tids, tid)
			}
		}
	}
}

func (p *PTY) holds(fd int) bool {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tty = p.dev.name
	return l.isTerminal(p.leader.Pid, fd)
}

func (p *PTY) has(fd int) bool {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.link(p.leader.Pid, fd) != ""
}

func (p *PTY) waitID() uint64 {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	pid, tid := l.waiter[0], l.waiter[1]
	if pid == 0 {
		return 0
	}
	return waitID(tid, l.thread(pid, tid, "status"))
}
