//go:build !linux

package pty

import "time"

// Work returns zero: this system does not report how much a program works.
func Work(*PTY) (used time.Duration, runs bool) { return 0, false }

// Forked returns false, because it is not known.
func Forked(*PTY, time.Duration) bool { return false }

// Children returns nil, because they are not known.
func Children(*PTY) []int { return nil }

// Copied returns false, because it is not known.
func Copied(*PTY, time.Duration) bool { return false }
