// Package owner decides which user owns the files in a home directory. A process of root with
// another user's environment still counts as root.
package owner

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Planted reports whether another user may have created what was found in a directory to mislead this user: everybody may write
// there, as in /tmp.
func Planted(dir, found fs.FileInfo) bool {
	return MayPlant(dir) && !IsUs(found)
}

// MayPlant reports whether everybody may write to a directory, as to /tmp. On Windows it is false: the mode does not say so.
func MayPlant(dir fs.FileInfo) bool {
	const others = 0o002
	return runtime.GOOS != "windows" && dir.Mode().Perm()&others != 0
}

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
