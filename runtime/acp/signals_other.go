//go:build !unix

package acp

import "os"

// askToStop would ask a loop to end after its turn, and there is no way to; askToEnd
// kills it.
func askToStop(*os.Process) error  { return os.ErrInvalid }
func askToEnd(p *os.Process) error { return p.Kill() }
