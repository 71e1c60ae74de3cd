// Package owner decides which user owns the files in a home directory. Root that kept another
// user's environment still counts as root.
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
