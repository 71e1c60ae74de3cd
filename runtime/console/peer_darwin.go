package console

import "golang.org/x/sys/unix"

// peerOf asks the kernel by LOCAL_PEERCRED and LOCAL_PEERPID, unix(4).
func peerOf(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return int(cred.Uid), pid, err
}
