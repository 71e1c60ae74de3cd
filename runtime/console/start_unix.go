//go:build unix

package console

import (
	"os/exec"
	"syscall"
)

// ofItsOwn makes a command the leader of a session: no terminal's signal reaches it.
func ofItsOwn(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
