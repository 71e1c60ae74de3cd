package console

import (
	"bytes"
	"os"
	"strconv"
)

// isStopped reports whether a process is stopped (proc_pid_stat(5): states T and t).
func isStopped(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	name := bytes.LastIndexByte(b, ')')
	return name >= 0 && len(b) > name+2 && (b[name+2] == 'T' || b[name+2] == 't')
}
