//go:build unix

package seat

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResize tells of a new size of the terminal, and that it may be another's meanwhile.
func notifyResize(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT) }
