//go:build !linux && !darwin && !freebsd

package console

import "time"

// uptime returns the system time on systems without a known monotonic clock.
func uptime() time.Duration { return time.Duration(time.Now().UnixNano()) }
