//go:build !linux

package proctree

// Complete says whether whole trees can be found and guarded on this system.
const Complete = false

// Subreaper is known to Linux only.
func Subreaper() error { return ErrUnsupported }

// Adopter is known to Linux only.
func Adopter() int { return 0 }

// Descendants is known to Linux only; it lists none.
func Descendants(int) []Process { return nil }

// Seen is known to Linux only.
func Seen(pid int) (Process, bool) { return Process{PID: pid}, false }

// Guard runs main without a guard: it needs a subreaper.
func Guard(main func() int) int { return main() }

// Inner is for Linux: elsewhere there is one process.
func Inner() bool { return false }

// HaltIfDying returns: there is no guard.
func HaltIfDying() {}

func firstSeen(leader int) Process { return Process{PID: leader} }
