package agent

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the largest that everybody may ask for (pipe(7)), in bytes.
const pipeSize = 1 << 20

// enlarge gives a pipe room. Programs that write without waiting and end with
// process.exit() lose what the pipe has no room for, and a busy machine reads late.
func enlarge(f *os.File) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	// Refused when its user has too many large pipes; the usual size does for most.
	_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}
