package agent

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the maximum size for unprivileged users (pipe(7)), in bytes.
const pipeSize = 1 << 20

// enlarge increases the capacity of a pipe. Programs that write without waiting and exit with
// process.exit() lose output that exceeds it, and a busy machine reads late.
func enlarge(f *os.File) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	// This fails if the user has too many large pipes; the usual size is enough for most programs.
	_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}
