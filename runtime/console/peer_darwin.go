package console

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// samePeer says whether the other end of a connection is a process of this user
// (LOCAL_PEERCRED, unix(4)).
func samePeer(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		same = err == nil && int(cred.Uid) == os.Getuid()
	})
	return err == nil && same
}
