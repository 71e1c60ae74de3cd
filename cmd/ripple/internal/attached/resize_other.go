//go:build !unix

package attached

import "os"

func notifyResize(chan<- os.Signal) {}
