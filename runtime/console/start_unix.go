//go:build unix

package console

import (
	"os/exec"
	"syscall"
)

// asSessionLeader makes a command a session leader, so that terminal signals do not reach it.
func asSessionLeader(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
