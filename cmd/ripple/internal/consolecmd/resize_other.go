//go:build !unix

package consolecmd

import "os"

func notifyResize(chan<- os.Signal) {}
