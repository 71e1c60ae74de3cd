package contract

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"example.org/ripple/runtime/proctree"
)

const (
	processesAreKnown = true
	waitingIsKnown    = true
)

// process is the content of /proc/PID/stat (proc_pid_stat(5)).
type process struct {
	pid, parent, session int
	name, state, started string
}

func processes() []process {
	var list []process
	for _, pid := range processIDs() {
		if p, ok := readProcess(pid); ok {
			list = append(list, p)
		}
	}
	return list
}

// processIDs lists all processes.
func processIDs() (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil // no /proc: the tests that need it report that they find nothing
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // names read before an error count
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// readProcess parses a stat line; the name is in parentheses and may contain any
// character.
func readProcess(pid int) (process, bool) {
	var buf [1024]byte // the kernel's line is shorter; a test reads some 10,000 of them, with [os.ReadFile] in twice the time
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return process{}, false // it has ended
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return process{}, false
	}
	data := string(buf[:n])
	open, end := strings.IndexByte(data, '('), strings.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	fields := strings.Fields(data[end+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	parent, _ := strconv.Atoi(fields[1]) // the kernel writes numbers here
	session, _ := strconv.Atoi(fields[3])
	return process{pid, parent, session, data[open+1 : end], fields[0], fields[19]}, true
}

// childrenWith counts the children of this process, and of the process that adopts their orphans,
// whose environment contains dir. A process whose environment cannot be read has ended and does not
// count.
func childrenWith(dir string) (n int) {
	adopter := proctree.ReaperPID()
	for _, p := range processes() {
		if p.parent != os.Getpid() && p.parent != adopter || p.pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if err == nil && strings.Contains(string(env), dir) {
			n++
		}
	}
	return n
}

// membersOf returns the processes of the session that pid leads, and its descendants.
func membersOf(pid int) []process {
	if pid <= 0 {
		return nil // there was no process
	}
	all := processes()
	in := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && (in[p.parent] || p.session == pid) {
				in[p.pid], grown = true, true
			}
		}
	}
	var list []process
	for _, p := range all {
		if in[p.pid] {
			list = append(list, p)
		}
	}
	return list
}

// stillThere lists members that are still alive, and new processes in the session of pid. A process
// id that was reused by another program does not count. An ended orphan stays in the list only
// until its adopter has reaped it.
func stillThere(members []process, pid int) []string {
	if pid <= 0 {
		return nil
	}
	was := map[int]string{}
	for _, m := range members {
		was[m.pid] = m.started
	}
	var left []string
	adopter := proctree.ReaperPID()
	for _, id := range processIDs() {
		// Most processes are none of these, and the system call costs less than a tenth of reading a stat line.
		if session, err := unix.Getsid(id); err == nil && session != pid && was[id] == "" {
			continue
		}
		p, ok := readProcess(id)
		if !ok || p.state == "Z" && p.parent == adopter {
			continue
		}
		if was[p.pid] == p.started || p.session == pid {
			left = append(left, fmt.Sprintf("%d (%s, state %s)", p.pid, p.name, p.state))
		}
	}
	return left
}

func openDescriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // no /proc: nothing to compare
	}
	return len(entries)
}
