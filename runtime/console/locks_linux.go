package console

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// locks reports whether a process holds an exclusive lock of a directory (proc_pid_fdinfo(5)).
func locks(pid int, dir string) bool {
	want, err := os.Stat(dir)
	if err != nil {
		return false
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return false
	}
	for _, e := range open {
		file, err := os.Stat(filepath.Join("/proc", fmt.Sprint(pid), "fd", e.Name()))
		if err != nil || !os.SameFile(file, want) {
			continue
		}
		info, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "fdinfo", e.Name()))
		if err == nil && lockLine(info) {
			return true
		}
	}
	return false
}

// lockLine reports whether the information on an open file has an exclusive lock by flock(2).
func lockLine(info []byte) bool {
	for line := range bytes.Lines(info) {
		if bytes.HasPrefix(line, []byte("lock:")) && bytes.Contains(line, []byte("FLOCK")) && bytes.Contains(line, []byte("WRITE")) {
			return true
		}
	}
	return false
}
