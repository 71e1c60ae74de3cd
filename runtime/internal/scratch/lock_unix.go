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

// lock takes a lock that ends with the last process that has this very opening of
// the file: programs that are started do not get it.
func lock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return os.NewSyscallError("flock", err)
		}
	}
}

// private says whether only this user can have put something there. Others may pass
// through to what is theirs.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&^0o011 == 0o700
}

// openProof opens no link, and no pipe that would be waited for.
func openProof(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
