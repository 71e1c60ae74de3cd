//go:build unix

package contract

import (
	"os"
	"path/filepath"
	"syscall"
)

const askToEnd = syscall.SIGTERM

// nobody is Linux's unprivileged user, whose id no other user has (kernel.overflowuid,
// https://systemd.io/UIDS-GIDS/).
const nobody = 65534

func asNobody(unprivileged bool) bool { return unprivileged && os.Geteuid() == 0 }

// serverProcess gives a server its own session, and drops root's rights for a server that refuses
// them.
func serverProcess(unprivileged bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if asNobody(unprivileged) {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return attr
}

// ownDirectory creates a subdirectory of private that the server may write to. Its user must be
// able to reach it, but not to list private.
func ownDirectory(private string, unprivileged bool) (string, error) {
	dir := filepath.Join(private, "s") // the path of a socket has at most 107 bytes
	if err := os.Mkdir(dir, 0o700); err != nil || !asNobody(unprivileged) {
		return dir, err
	}
	if err := os.Chmod(private, 0o711); err != nil {
		return "", err
	}
	return dir, os.Chown(dir, nobody, nobody)
}
