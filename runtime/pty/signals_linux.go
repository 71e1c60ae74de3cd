package pty

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// ignoredSignals reads the kernel's mask: signal.Ignored does not know signals that were ignored
// before this process started, except SIGHUP and SIGINT.
func ignoredSignals() []os.Signal {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil // no /proc: unknown
	}
	_, rest, _ := bytes.Cut(status, []byte("\nSigIgn:\t"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, err := strconv.ParseUint(string(line), 16, 64)
	if err != nil {
		return nil
	}
	var list []os.Signal
	for n := syscall.Signal(1); n < 32; n++ {
		if mask&(1<<(n-1)) != 0 {
			list = append(list, n)
		}
	}
	return list
}
