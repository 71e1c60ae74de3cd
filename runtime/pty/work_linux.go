package pty

import (
	"os"
	"slices"
	"strconv"
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
	return used, ok && parseStat(l.thread(l.leader, l.leader, "stat")).busy()
}

// Forked reports whether a child of the started program has used less than limit of CPU time, and its
// first thread runs now, or waits for a CPU. False may mean that it is not known. A child that waits for
// a disk does not count: it may do so for as long as a server does not answer.
func Forked(p *PTY, limit time.Duration) bool {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader = p.leader.Pid
	return slices.ContainsFunc(l.children(l.leader), func(child int) bool {
		used, ok := cpuTime(child)
		return ok && used < limit && parseStat(l.thread(child, child, "stat")).state == 'R'
	})
}

// Children returns the process IDs of the children of the started program; nil may mean that they are not known.
func Children(p *PTY) []int {
	l := &p.dev.probe
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.children(p.leader.Pid)
}

// Copied reports whether the process in the terminal's foreground is still a copy of the started program that has used less
// than limit of CPU time: a job before its exec. False may mean that it is not known.
func Copied(p *PTY, limit time.Duration) bool {
	group, err := p.Foreground()
	if err != nil || group == p.leader.Pid {
		return false
	}
	used, ok := cpuTime(group)
	return ok && used < limit && program(group) != "" && program(group) == program(p.leader.Pid)
}

// program returns the file that a process executes, "" if that is unknown.
func program(pid int) string {
	path, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return path
}

// cpuTime returns the CPU time that a process has used, without that of its children; it is not known
// once the process has been reaped.
func cpuTime(pid int) (used time.Duration, ok bool) {
	const scheduled = 2 // see clock_getcpuclockid(3)
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|scheduled), &t)
	return time.Duration(t.Nano()), err == nil
}
