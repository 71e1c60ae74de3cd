package console

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// samePeer says whether the other end of a connection is a process of this user
// (SO_PEERCRED, unix(7)).
func samePeer(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		same = err == nil && int(cred.Uid) == os.Getuid()
	})
	return err == nil && same
}
