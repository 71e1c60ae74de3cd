//go:build linux || darwin

package pty

import (
	"os"
	"os/signal"
	"sync"
)

var signalsMu sync.Mutex

// withDefaultSignals starts a program so that it inherits no ignored signal. exec keeps ignored
// signals and resets caught ones, so the ignored ones are caught, and dropped, during the start. If
// other code calls signal.Notify for one of them at that moment, the call has no effect.
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
