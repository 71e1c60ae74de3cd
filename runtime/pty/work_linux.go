package pty

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Work returns the CPU time that the started program itself has used, without that of other
// processes, and whether its first thread runs now, or waits for a CPU or a disk. Zero means that
// neither is known.
func Work(p *PTY) (used time.Duration, runs bool) {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader = p.leader.Pid
	used, ok := cpuTime(l.leader)
	return used, ok && l.works(l.leader)
}

// Forked reports whether a child of the started program has used less than limit of CPU time, and its
// first thread runs now, or waits for a CPU or a disk. False may mean that it is not known.
func Forked(p *PTY, limit time.Duration) bool {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader = p.leader.Pid
	return slices.ContainsFunc(l.children(l.leader), func(child int) bool {
		used, ok := cpuTime(child)
		return ok && used < limit && l.works(child)
	})
}

// works reports whether the first thread of a process runs, or waits for a CPU or a disk.
func (l *prober) works(pid int) bool { return parseStat(l.thread(pid, pid, "stat")).busy() }

// cpuTime returns the CPU time that a process has used, without that of its children; it is not known
// once the process has been reaped.
func cpuTime(pid int) (used time.Duration, ok bool) {
	const scheduled = 2 // see clock_getcpuclockid(3)
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|scheduled), &t)
	return time.Duration(t.Nano()), err == nil
}
