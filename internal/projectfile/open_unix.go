//go:build unix

package projectfile

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// LockFlags are flags with which a lock file is opened: no link is followed, and no pipe
// is waited for.
const LockFlags = syscall.O_NOFOLLOW | nonBlock

const nonBlock = syscall.O_NONBLOCK

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // its type depends on the system
	}
	return 1
}

// mayEnter reports whether this user may enter a directory, or execute a file.
func mayEnter(path string) bool { return unix.Access(path, unix.X_OK) == nil }
