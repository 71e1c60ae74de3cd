package console

import "golang.org/x/sys/unix"

// peerOf asks the kernel by SO_PEERCRED, unix(7).
func peerOf(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Uid), int(cred.Pid), nil
}
