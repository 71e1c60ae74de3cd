//go:build !unix

package loop

import (
	"os"
	"os/exec"

	"example.org/ripple/runtime/proctree"
)

// shell returns a command that runs as with system().
func shell(command string) *exec.Cmd { return exec.Command(os.Getenv("ComSpec"), "/C", command) }

func steps() []proctree.Step { return nil }

func ownGroup(command string) *exec.Cmd { return shell(command) }

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have exited
