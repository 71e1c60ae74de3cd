//go:build !unix

package projectfile

import (
	"io/fs"
	"os"
)

// LockFlags are flags with which a lock file is opened.
const LockFlags = 0

const nonBlock = 0

// links returns how many names a file has, where that is known.
func links(fs.FileInfo) uint64 { return 1 }

// mayEnter reports whether a file or directory exists.
func mayEnter(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
