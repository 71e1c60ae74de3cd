//go:build unix

package place

import (
	"syscall"
)

// supported reports whether this system has what consoles need.
const supported = true

// answers reports whether a host listens.
func answers(socket string) bool {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd) // the connection only tests the listener
	syscall.CloseOnExec(fd)
	if syscall.SetNonblock(fd, true) != nil {
		return false
	}
	err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
	return err == nil || err == syscall.EAGAIN // its backlog is full
}
