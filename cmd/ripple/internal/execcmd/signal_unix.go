//go:build unix

package execcmd

import "golang.org/x/sys/unix"

// signalNumber is the number of a signal such as "SIGKILL"; 0 if there is none.
func signalNumber(name string) int { return int(unix.SignalNum(name)) }
