//go:build unix

package git

import (
	"io/fs"
	"syscall"
)

// inode returns the number that distinguishes a file from another that took its place.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}

// sameDevice reports whether two files are the same device, also if they have different inodes.
func sameDevice(a, b fs.FileInfo) bool {
	x, isX := a.Sys().(*syscall.Stat_t)
	y, isY := b.Sys().(*syscall.Stat_t)
	return isX && isY && a.Mode().Type() == b.Mode().Type() && x.Rdev == y.Rdev
}
