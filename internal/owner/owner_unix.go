//go:build unix

package owner

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// IsUs reports whether a file belongs to the user of this process.
func IsUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// IsCaller reports whether a file belongs to the user of this process or, if that is root, to the user who called sudo(8).
func IsCaller(info fs.FileInfo) bool {
	if IsUs(info) {
		return true
	}
	caller, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	stat, ok := info.Sys().(*syscall.Stat_t)
	return os.Getuid() == 0 && err == nil && ok && uint64(stat.Uid) == caller
}

// writable reports whether this user may create files in a directory; root may do so only in
// root's own directories.
func writable(dir string, info fs.FileInfo) bool {
	if os.Getuid() == 0 && !IsUs(info) {
		return false
	}
	return unix.Access(dir, unix.W_OK|unix.X_OK) == nil // also root may not write to a file system that is read-only
}

// CheckWritable returns the system's error if this user may not write to a file or directory.
func CheckWritable(path string) error { return unix.Access(path, unix.W_OK) }

// ThroughSudo reports whether this process runs as root because of sudo(8) in a directory of
// another user, and returns that user's name.
func ThroughSudo(dir string, getenv func(string) string) (name string, yes bool) {
	caller := getenv("SUDO_UID")
	info, err := os.Stat(dir)
	if os.Getuid() != 0 || caller == "" || caller == "0" || err != nil {
		return "", false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		return "", false
	}
	uid := strconv.Itoa(int(stat.Uid))
	if u, err := user.LookupId(uid); err == nil {
		return u.Username, true
	}
	return "user " + uid, true
}
