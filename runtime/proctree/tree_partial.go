//go:build !linux

package proctree

// Complete reports whether whole trees can be found and guarded on this system.
const Complete = false

// Subreaper is supported on Linux only.
func Subreaper() error { return ErrUnsupported }

// Adopter is supported on Linux only; it returns 0.
func Adopter() int { return 0 }

// Descendants is supported on Linux only; it returns nil.
func Descendants(int) []Process { return nil }

// Seen is supported on Linux only; it returns false.
func Seen(pid int) (Process, bool) { return Process{PID: pid}, false }

// Guard runs main without a guard: it needs a subreaper.
func Guard(main func() int) int { return main() }

// Inner is supported on Linux only; elsewhere there is one process.
func Inner() bool { return false }

// HaltIfDying returns at once: there is no guard.
func HaltIfDying() {}

func firstSeen(leader int) Process { return Process{PID: leader} }
