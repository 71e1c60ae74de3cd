package pty

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
)

// maxStoppedDepth bounds the search for the stopped process that another one waits for.
const maxStoppedDepth = 16

// Stopped returns the process that SIGSTOP or a similar signal has stopped, so that the program
// neither reads nor prints until that process receives SIGCONT: the started program, the leader of
// the foreground group, or a child that they wait for. The zero Process means that there is none.
func Stopped(p *PTY) Process {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	group, err := p.dev.foreground()
	if err != nil {
		return Process{} // the terminal is closed
	}
	l.leader = p.leader.Pid
	if s := l.stopped(l.leader); s.PID != 0 || group <= 0 {
		return s
	}
	return l.stopper(group, maxStoppedDepth)
}

// stopped returns the process if it is stopped; see proc_pid_stat(5).
func (l *prober) stopped(pid int) Process {
	line := l.thread(pid, pid, "stat")
	if parseStat(line).state != 'T' {
		return Process{}
	}
	return Process{PID: pid, Name: processName(line)}
}

// stopper returns the process if it is stopped, or else the stopped descendant without which it
// does not continue: its parent does nothing but wait for it.
func (l *prober) stopper(pid, depth int) Process {
	if s := l.stopped(pid); s.PID != 0 || depth == 0 {
		return s
	}
	child, waits := awaitedChild(l.thread(pid, pid, "syscall"))
	switch {
	case !waits:
		return Process{}
	case child > 0:
		return l.stopper(child, depth-1)
	}
	var first Process
	for _, c := range l.children(pid) {
		s := l.stopper(c, depth-1)
		if s.PID == 0 {
			return Process{} // its end will wake the process
		}
		first = cmp.Or(first, s)
	}
	return first
}

// children lists the children that the first thread of a process has started.
func (l *prober) children(pid int) []int {
	var all []int
	for f := range bytes.FieldsSeq(l.thread(pid, pid, "children")) {
		if n, err := strconv.Atoi(string(f)); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// awaitedChild reports whether a thread is blocked until one of its children ends, and which one; 0
// means any. zsh and others wait for a signal in place of a child.
func awaitedChild(syscall []byte) (child int, waits bool) {
	nr, args, _, ok := parseSyscall(syscall)
	switch {
	case !ok:
		return 0, false
	case nr == unix.SYS_WAIT4:
		return max(0, int(int32(uint32(args[0])))), true
	case nr == unix.SYS_WAITID && args[0] == unix.P_PID:
		return int(int32(uint32(args[1]))), true
	}
	return 0, nr == unix.SYS_WAITID || nr == unix.SYS_RT_SIGSUSPEND
}

// processName returns the name in a stat line without characters that act on a terminal: a program
// chooses its name.
func processName(stat []byte) string {
	_, name, _ := bytes.Cut(stat, []byte{'('})
	name = name[:max(0, bytes.LastIndexByte(name, ')'))]
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, string(name))
}
