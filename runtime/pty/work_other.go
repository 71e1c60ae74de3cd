//go:build !linux

package pty

import "time"

// Work returns zero: this system does not report how much a program works.
func Work(*PTY) (used time.Duration, runs bool) { return 0, false }
