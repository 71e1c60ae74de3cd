package pty

import (
	"os"
	"os/signal"
	"syscall"
)

func ignoredSignals() []os.Signal {
	var list []os.Signal
	for n := syscall.Signal(1); n < 32; n++ {
		if signal.Ignored(n) {
			list = append(list, n)
		}
	}
	return list
}
