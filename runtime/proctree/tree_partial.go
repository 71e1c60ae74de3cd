//go:build !linux

package proctree

import (
	"context"
	"io/fs"
)

// Complete reports whether whole trees can be found and guarded on this system.
const Complete = false

// SetSubreaper is supported on Linux only.
func SetSubreaper() error { return ErrUnsupported }

// ReaperPID is supported on Linux only; it returns 0.
func ReaperPID() int { return 0 }

// Descendants is supported on Linux only; it returns nil.
func Descendants(int) []Process { return nil }

// HasOpen is supported on Linux only; it returns true for any process ID.
func HasOpen(pid int, _ fs.FileInfo) (bool, error) { return pid > 0, nil }

// StoppedGroup is supported on Linux only; it returns 0.
func StoppedGroup(int) int { return 0 }

// Continue is supported on Linux only.
func Continue(int) error { return ErrUnsupported }

// Find is supported on Linux only; it returns false.
func Find(pid int) (Process, bool) { return Process{PID: pid}, false }

// Directory is supported on Linux only; it returns "".
func (p Process) Directory() string { return "" }

// InitialEnv is supported on Linux only; it returns false.
func (p Process) InitialEnv(string) (value string, ok bool) { return "", false }

// Guard runs main without a guard: it needs a subreaper.
func Guard(main func() int) int { return main() }

// EndOrphans is supported on Linux only; elsewhere it does nothing.
func EndOrphans(context.Context) error { return nil }

// IsInner is supported on Linux only; elsewhere there is one process.
func IsInner() bool { return false }

// BlockIfShuttingDown returns at once: there is no guard.
func BlockIfShuttingDown() {}

func firstSeen(leader int) Process { return Process{PID: leader} }
