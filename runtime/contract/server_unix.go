//go:build unix

package contract

import (
	"os"
	"path/filepath"
	"syscall"
)

const askToEnd = syscall.SIGTERM

// nobody is the user without rights of Linux, whose number no other user has
// (kernel.overflowuid, https://systemd.io/UIDS-GIDS/).
const nobody = 65534

func asNobody(unprivileged bool) bool { return unprivileged && os.Geteuid() == 0 }

// serverProcess puts a server into a session of its own, and takes root's rights from
// one that refuses them.
func serverProcess(unprivileged bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if asNobody(unprivileged) {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return attr
}

// ownDirectory is one within a private directory that the server may write to. Its user
// has to get there; to list what is there is another matter.
func ownDirectory(private string, unprivileged bool) (string, error) {
	dir := filepath.Join(private, "s") // the path of a socket has 107 bytes at most
	if err := os.Mkdir(dir, 0o700); err != nil || !asNobody(unprivileged) {
		return dir, err
	}
	if err := os.Chmod(private, 0o711); err != nil {
		return "", err
	}
	return dir, os.Chown(dir, nobody, nobody)
}
