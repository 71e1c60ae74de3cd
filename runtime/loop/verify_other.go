//go:build !unix

package loop

import (
	"os"
	"os/exec"

	"ripple/runtime/proctree"
)

// shell runs a command as system() does.
func shell(command string) *exec.Cmd { return exec.Command(os.Getenv("ComSpec"), "/C", command) }

func steps() []proctree.Step { return nil }

func ownGroup(command string) *exec.Cmd { return shell(command) }

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
