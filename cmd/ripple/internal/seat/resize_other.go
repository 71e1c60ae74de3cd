//go:build !unix

package seat

import "os"

func notifyResize(chan<- os.Signal) {}
