package pty

import (
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
	var t unix.Timespec
	if unix.ClockGettime(processClock(l.leader), &t) != nil {
		return 0, false // it has ended
	}
	return time.Duration(t.Nano()), parseStat(l.thread(l.leader, l.leader, "stat")).busy()
}

// processClock returns the clock of a process's CPU time, as clock_getcpuclockid(3) does.
func processClock(pid int) int32 {
	const scheduled = 2
	return int32(^pid<<3 | scheduled)
}
