//go:build linux || darwin

package pty

import (
	"os"
	"os/signal"
	"sync"
)

var signalsMu sync.Mutex

// withDefaultSignals starts a program so that it inherits no ignored signal.
// exec keeps what is ignored and resets what is caught, so the ignored ones are
// caught, and dropped, for the moment of the start. A signal.Notify for one of
// them by somebody else in that very moment is lost.
func withDefaultSignals(start func()) {
	signalsMu.Lock()
	defer signalsMu.Unlock()
	ignored := ignoredSignals()
	if len(ignored) == 0 {
		start()
		return
	}
	drop := make(chan os.Signal, 1)
	signal.Notify(drop, ignored...)
	start()
	signal.Ignore(ignored...)
	signal.Stop(drop)
}
