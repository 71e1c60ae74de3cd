//go:build !linux

package pty

// Stopped returns the zero Process: it is unknown on this system whether a program is stopped.
func Stopped(*PTY) Process { return Process{} }
