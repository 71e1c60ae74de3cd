//go:build linux || darwin

package console

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/proctree"
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

// hostOf returns the host of a console: the process that listens on its socket or, if that was removed,
// the recorded one if it holds the lock of the results.
func hostOf(f place.Files, recorded int) (*os.Process, error) {
	pid, err := hostPID(f.Socket)
	if err == nil {
		return os.FindProcess(pid)
	}
	p, findErr := os.FindProcess(recorded) // refers to this process even if it ends and its ID is used again
	if findErr == nil && recorded > 1 && recorded != os.Getpid() && locks(recorded, f.Record) {
		return p, nil
	}
	return nil, fmt.Errorf("%w; process %d, which its record names, is not its host, or this system does not tell: try again in a few seconds, in which the host makes its socket again, or end the host yourself", err, recorded)
}

// killHost kills the host of a console. Its guard ends the program.
func killHost(f place.Files, recorded int) error {
	p, err := hostOf(f, recorded)
	if err != nil {
		return fmt.Errorf("finding the console's host: %w", err)
	}
	return p.Kill()
}

// continueGuard continues the processes of a host's guard (see proctree.Guard) that are stopped: without
// them a killed host would leave its program running, and they would remain after the host.
func continueGuard(f place.Files, recorded int) {
	p, err := hostOf(f, recorded)
	if err != nil {
		return
	}
	outer, err := unix.Getpgid(p.Pid)
	if err != nil || outer == p.Pid { // without a guard
		return
	}
	for i, a := range proctree.Ancestors(p.Pid) {
		if (i == 0 || a.PID == outer) && a.PID > 1 && proctree.StoppedGroup(a.PID) != 0 {
			_ = unix.Kill(a.PID, unix.SIGCONT) // it may have ended
		}
	}
}
