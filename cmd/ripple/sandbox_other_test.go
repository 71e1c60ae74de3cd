//go:build !linux

package main

// withoutLandlock is for Linux.
func withoutLandlock() {}
