package proctree

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passed takes a signal that the outer process got. Where nobody takes it by Notify
// it does what it does to any process.
func passed(s syscall.Signal) {
	if !count(s, func(t *tally) { t.passed++ }) {
		_ = unix.Kill(os.Getpid(), s) // a signal that was caught is one
	}
}
