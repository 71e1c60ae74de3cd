//go:build linux || darwin

package console

import (
	"errors"
	"net"
	"os"
)

// samePeer reports whether the other end of a connection is a process of this user.
func samePeer(c *net.UnixConn) bool {
	uid, _, err := peer(c)
	return err == nil && uid == os.Getuid()
}

// peer returns the user and the ID of the process at the other end of a connection; for a client,
// those of the listener.
func peer(c *net.UnixConn) (uid, pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	controlErr := raw.Control(func(fd uintptr) { uid, pid, err = peerOf(int(fd)) })
	return uid, pid, errors.Join(controlErr, err)
}
