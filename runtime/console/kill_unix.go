//go:build linux || darwin

package console

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// hostPID returns the ID of the process that listens on a socket, after checking that the kernel
// reports it as this user's.
func hostPID(socket string) (int, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }() // nothing is sent
	uid, pid, err := peer(conn.(*net.UnixConn))
	if err == nil && uid != os.Getuid() {
		return 0, fmt.Errorf("%s: another user's process listens there", socket)
	}
	if err == nil && (pid <= 1 || pid == os.Getpid()) {
		err = fmt.Errorf("process %d, which cannot be the console's host, listens on %s", pid, socket)
	}
	return pid, err
}

// killHost kills the host that listens on a socket, and continues its guard in case that is
// stopped: the guard ends the program.
func killHost(socket string) error {
	pid, err := hostPID(socket)
	if err != nil {
		return fmt.Errorf("finding the console's host: %w", err)
	}
	group, groupErr := unix.Getpgid(pid)
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		return err
	}
	if groupErr == nil && group > 1 && group != unix.Getpgrp() {
		_ = unix.Kill(-group, unix.SIGCONT) // it may have ended
	}
	return nil
}
