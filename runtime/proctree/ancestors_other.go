//go:build !linux && !darwin

package proctree

// Ancestors is supported on Linux and macOS only; it returns nil.
func Ancestors(int) []Process { return nil }
