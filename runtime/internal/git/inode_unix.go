//go:build unix

package git

import (
	"io/fs"
	"syscall"
)

// inode tells a file from another that took its place.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
