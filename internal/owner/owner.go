// Package owner decides who owns a file in a user's home: root with another user's
// environment is not that user.
package owner

import (
	"os"
	"path/filepath"
)

// Ours says whether a directory is this user's to write to, or can be made by him. That root
// can write everywhere does not make another user's home root's own: what root made there
// its owner could not use.
func Ours(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err == nil {
			return info.IsDir() && writable(dir, info)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}
