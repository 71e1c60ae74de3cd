//go:build !unix

package console

import "os/exec"

// ofItsOwn is not needed: there are no consoles.
func ofItsOwn(*exec.Cmd) {}
