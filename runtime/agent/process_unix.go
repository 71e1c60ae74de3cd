//go:build unix

package agent

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession keeps the agent away from our terminal and makes its tree ours to
// end.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func signalOf(s *os.ProcessState) string {
	if w, is := s.Sys().(syscall.WaitStatus); is && w.Signaled() {
		return unix.SignalName(w.Signal())
	}
	return ""
}
