//go:build unix

package loop

import (
	"os/exec"
	"syscall"

	"example.org/ripple/runtime/proctree"
)

// shell returns a command that runs as with system(3), in its own session, by which all of its
// processes are found.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func steps() []proctree.Step {
	return []proctree.Step{{Signal: syscall.SIGTERM, Grace: verifyGrace}}
}

// ownGroup starts a command in its own process group. It stays in our session: processes in other
// sessions are attributed to the agent.
func ownGroup(command string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have exited
