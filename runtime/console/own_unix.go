//go:build unix

package console

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// supported says whether this system has what consoles need.
const supported = true

// ownedByUs says whether a file belongs to the user of this process.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// ofItsOwn makes a command the leader of a session: no terminal's signal reaches it.
func ofItsOwn(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
