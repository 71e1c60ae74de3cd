//go:build unix && !linux

package proctree

import (
	"context"
	"os"
	"syscall"
	"time"
)

// Members returns the leader while its group exists.
func (t *Tree) Members() []Process {
	if syscall.Kill(-t.root.PID, 0) == syscall.ESRCH {
		return nil
	}
	return []Process{t.root}
}

// Signal sends a signal to the leader's group, followed by SIGCONT.
func (t *Tree) Signal(sig syscall.Signal) error {
	for _, s := range []syscall.Signal{sig, syscall.SIGCONT} {
		if err := syscall.Kill(-t.root.PID, s); err != nil && err != syscall.ESRCH && err != syscall.EPERM {
			return os.NewSyscallError("kill", err)
		}
	}
	return nil
}

// Wait returns nil when the leader's group is gone, and a *SurvivorsError if ctx ends first.
func (t *Tree) Wait(ctx context.Context) error {
	const look = 5 * time.Millisecond // nothing announces a group's end
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		left := t.Members()
		if len(left) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &SurvivorsError{Survivors: left, Cause: ctx.Err()}
		}
	}
}
