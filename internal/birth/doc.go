//go:build !linux

// Package birth is of use on Linux only.
package birth
