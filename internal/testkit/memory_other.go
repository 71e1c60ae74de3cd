//go:build !linux

package testkit

// inMemory does nothing: temporary files are where the system has them.
func inMemory() (remove func()) { return func() {} }
