//go:build linux || darwin || freebsd

package console

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime is how long the machine has been running, whatever its clock was set to
// (CLOCK_MONOTONIC, which is one for all processes).
func uptime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0 // as if it had been started now: nothing is dropped too early
	}
	return time.Duration(t.Nano())
}
