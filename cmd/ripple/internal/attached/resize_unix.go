//go:build unix

package attached

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResize reports a new size of the terminal, and that another process may own it by now.
func notifyResize(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT) }
