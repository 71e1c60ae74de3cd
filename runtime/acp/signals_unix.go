//go:build unix

package acp

import (
	"os"
	"syscall"
)

// askToStop asks a loop to end after its turn, askToEnd now.
func askToStop(p *os.Process) error { return p.Signal(syscall.SIGINT) }
func askToEnd(p *os.Process) error  { return p.Signal(syscall.SIGTERM) }
