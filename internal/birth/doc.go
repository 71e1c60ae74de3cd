//go:build !linux

// Package birth is used on Linux only.
package birth
