//go:build unix

package agent

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession detaches the agent from our terminal and puts it in a session of its own, so that
// its process tree can be ended.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func signalOf(s *os.ProcessState) string {
	if w, is := s.Sys().(syscall.WaitStatus); is && w.Signaled() {
		return unix.SignalName(w.Signal())
	}
	return ""
}
