//go:build !unix

package main

// room: no such limit is known here.
func room(n int) (int, error) { return n, nil }
