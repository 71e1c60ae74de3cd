//go:build !unix

package console

import "os/exec"

// asSessionLeader does nothing: consoles are not supported.
func asSessionLeader(*exec.Cmd) {}
