//go:build !unix

package execcmd

import "os"

// terminalModes are left alone here: ripple starts no program on a terminal here.
type terminalModes struct{}

func modesOf(*os.File) terminalModes       { return terminalModes{} }
func (terminalModes) set(*os.File, typing) {}
func (terminalModes) lines() bool          { return true }
func (terminalModes) flush(*os.File)       {}
