//go:build unix

package projectfile

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// LockFlags are flags with which a lock file or directory is opened: no link is followed, and no pipe
// is waited for.
const LockFlags = syscall.O_NOFOLLOW | nonBlock

// nonBlock are flags for a file that may have been replaced: a pipe is not waited for, and a terminal does not become that of ripple.
const nonBlock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // its type depends on the system
	}
	return 1
}

// mayEnter reports whether this user may enter a directory, or execute a file.
func mayEnter(path string) bool { return unix.Access(path, unix.X_OK) == nil }
