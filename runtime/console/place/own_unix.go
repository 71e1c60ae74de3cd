//go:build unix

package place

import (
	"io/fs"
	"os"
	"syscall"
)

// supported says whether this system has what consoles need.
const supported = true

// ownedByUs says whether a file belongs to the user of this process.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// answers says whether a host listens.
func answers(socket string) bool {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd) // it was only a knock
	syscall.CloseOnExec(fd)
	if syscall.SetNonblock(fd, true) != nil {
		return false
	}
	err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
	return err == nil || err == syscall.EAGAIN // many are waiting there
}
