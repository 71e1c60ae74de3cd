//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether nobody but this user can have written a file.
func private(info fs.FileInfo) bool {
	stat, known := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && info.Mode().Perm()&0o022 == 0 && known && int(stat.Uid) == os.Geteuid()
}
