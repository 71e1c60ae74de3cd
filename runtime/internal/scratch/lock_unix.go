//go:build linux || darwin

package scratch

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	wait = syscall.LOCK_EX
	try  = syscall.LOCK_EX | syscall.LOCK_NB
)

// lock takes a lock that lasts until the last process that has this open file description
// ends. Started programs do not inherit it.
func lock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return os.NewSyscallError("flock", err)
		}
	}
}

// private reports whether only this user can create files in the directory. Others may
// search it, to reach files of their own below it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&^0o011 == 0o700
}

// foreign reports whether others can, or could, create files in the directory.
func foreign(info fs.FileInfo) bool { return !private(info) }

// openOwnerFile follows no link, and does not block on a pipe.
func openOwnerFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
