package pty

import (
	"bytes"
	"os"
	"strconv"
)

// Stopped reports whether the started program, or else the leader of the foreground group, is
// stopped by SIGSTOP or a similar signal: it neither reads nor prints until it receives SIGCONT.
func Stopped(p *PTY) bool {
	if isStopped(p.leader.Pid) {
		return true
	}
	group, err := p.dev.foreground()
	return err == nil && group > 0 && group != p.leader.Pid && isStopped(group)
}

// isStopped reads proc_pid_stat(5); the name may contain anything.
func isStopped(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false // it ended
	}
	after := line[bytes.LastIndexByte(line, ')')+1:]
	return len(after) > 1 && after[1] == 'T'
}
