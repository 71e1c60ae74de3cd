//go:build unix

package loop

import (
	"os/exec"
	"syscall"

	"ripple/runtime/proctree"
)

// shell runs a command as system(3) does, in a session of its own, by which all
// of its processes are found.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func steps() []proctree.Step {
	return []proctree.Step{{Signal: syscall.SIGTERM, Grace: verifyGrace}}
}

// ownGroup is a command in a process group of its own. It stays in our session: what is
// in another one is taken for the agent's.
func ownGroup(command string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
