package testkit

import (
	"bytes"
	"os"
	"strconv"
)

// ProcessesWith returns the IDs of the processes of this user whose environment contains mark, as /proc shows it; none
// where there is no /proc. A process shows no environment while it executes another program.
func ProcessesWith(mark string) []int {
	return processes("environ", func(environ []byte) bool { return bytes.Contains(environ, []byte(mark)) })
}

// ProcessCalled returns the ID of a process whose command line begins with prefix, 0 if there is none.
func ProcessCalled(prefix string) int {
	found := processes("cmdline", func(words []byte) bool { return bytes.HasPrefix(words, []byte(prefix)) })
	if len(found) == 0 {
		return 0
	}
	return found[0]
}

// Children returns the processes whose parent is pid, as "PID (name)", also those that have ended and were not waited for;
// none where there is no /proc.
func Children(pid int) (children []string) {
	parent := []byte(strconv.Itoa(pid))
	processes("stat", func(stat []byte) bool {
		end := bytes.LastIndexByte(stat, ')') // of the name, which may contain anything; the state and the parent follow
		if fields := bytes.Fields(stat[end+1:]); len(fields) > 1 && bytes.Equal(fields[1], parent) {
			children = append(children, string(stat[:end+1]))
		}
		return false
	})
	return children
}

// processes returns the processes for which a file of /proc/PID fulfills a condition. It is called again and again while
// a test waits, and filepath.Glob would list the directory of each process.
func processes(file string, fulfills func(content []byte) bool) (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // those that were read count
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		content, err := os.ReadFile("/proc/" + name + "/" + file)
		if err == nil && fulfills(content) { // else it has ended, or belongs to another user
			pids = append(pids, pid)
		}
	}
	return pids
}
