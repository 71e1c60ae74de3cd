//go:build !unix

package git

import (
	"io/fs"
	"os"
)

// inode is not known here: time and size must do.
func inode(fs.FileInfo) uint64 { return 0 }

// sameDevice reports whether two files are the same device.
func sameDevice(a, b fs.FileInfo) bool { return os.SameFile(a, b) }
