//go:build !unix

package ui

// room: no such limit is known here.
func room(n int) (int, error) { return n, nil }
