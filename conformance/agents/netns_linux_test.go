package agents

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// startIsolated starts a command in a network namespace of its own, which has
// only a loopback interface that is down. Who is not root gets a user namespace
// for it, as the same user.
func startIsolated(cmd *exec.Cmd) error {
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	cmd.SysProcAttr = attr
	return cmd.Start()
}

// loopbackUp gives the namespace its loopback interface, and takes the right to
// change interfaces away from what is started afterwards.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}
