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

// killHost kills the host of a console, and continues its guard, which ends the program.
func killHost(f place.Files, recorded int) error {
	p, err := hostOf(f, recorded)
	if err != nil {
		return fmt.Errorf("finding the console's host: %w", err)
	}
	guard := guardOf(p.Pid)
	if err := p.Kill(); err != nil {
		return err
	}
	for _, pid := range guard { // also one that does not look stopped yet
		_ = unix.Kill(pid, unix.SIGCONT) // it may have ended
	}
	return nil
}

// continueGuard continues the processes of a host's guard that are stopped: they would remain after the host. Others
// would pass the signal on to the host.
func continueGuard(f place.Files, recorded int) {
	p, err := hostOf(f, recorded)
	if err != nil {
		return
	}
	for _, pid := range guardOf(p.Pid) {
		if proctree.StoppedGroup(pid) != 0 {
			_ = unix.Kill(pid, unix.SIGCONT) // it may have ended
		}
	}
}

// guardOf returns the processes of a host's guard, see proctree.Guard.
func guardOf(host int) (pids []int) {
	outer, err := unix.Getpgid(host)
	if err != nil || outer == host { // without a guard
		return nil
	}
	for i, a := range proctree.Ancestors(host) {
		if (i == 0 || a.PID == outer) && a.PID > 1 {
			pids = append(pids, a.PID)
		}
	}
	return pids
}
