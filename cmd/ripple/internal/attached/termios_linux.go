package attached

import "golang.org/x/sys/unix"

// The requests of ioctl(2) for a terminal's modes.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)
