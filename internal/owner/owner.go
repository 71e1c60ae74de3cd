// Package owner decides which user owns the files in a home directory. A process of root with
// another user's environment still counts as root.
package owner

import (
	"os"
	"path/filepath"
)

// Ours reports whether the user of this process may write to a directory, or may create it.
// Root may not write to another user's directory, whose owner could not use what root creates
// there.
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
