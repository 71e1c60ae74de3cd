//go:build unix && !linux

package execcmd

import "golang.org/x/sys/unix"

// The requests of ioctl(2) for a terminal's modes; the last one drops its input.
const (
	getTermios   = unix.TIOCGETA
	setTermios   = unix.TIOCSETA
	flushTermios = unix.TIOCSETAF
)
