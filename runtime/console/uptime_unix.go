//go:build linux || darwin || freebsd

package console

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime returns how long the machine has been running, independent of the system clock
// (CLOCK_MONOTONIC, which all processes share).
func uptime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0 // as if just started: nothing is dropped too early
	}
	return time.Duration(t.Nano())
}
