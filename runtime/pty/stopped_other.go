//go:build !linux

package pty

// Stopped returns false: it is unknown on this system.
func Stopped(*PTY) bool { return false }
