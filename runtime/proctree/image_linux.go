package proctree

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// image is what execve(2) takes.
type image struct {
	path *byte
	argv []*byte
	env  []*byte
}

func newImage(path string, argv, env []string) (i image, err error) {
	if i.path, err = syscall.BytePtrFromString(path); err != nil {
		return image{}, err
	}
	if i.argv, err = syscall.SlicePtrFromStrings(argv); err != nil {
		return image{}, err
	}
	i.env, err = syscall.SlicePtrFromStrings(env)
	return i, err
}

// argumentsArea is where /proc/self/cmdline comes from; see proc_pid_stat(5).
func argumentsArea() (from, to uintptr) {
	const argStart, argEnd = 48 - 3, 49 - 3 // after the name
	line, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0
	}
	f := strings.Fields(string(line[strings.LastIndexByte(string(line), ')')+1:]))
	if len(f) <= argEnd {
		return 0, 0
	}
	start, err1 := strconv.ParseUint(f[argStart], 10, 64)
	end, err2 := strconv.ParseUint(f[argEnd], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return uintptr(start), uintptr(end)
}

//go:nosplit
//go:norace
func (k *keeper) exec(i *image) syscall.Errno {
	_, errno := raw(unix.SYS_EXECVE, uintptr(unsafe.Pointer(i.path)),
		uintptr(unsafe.Pointer(&i.argv[0])), uintptr(unsafe.Pointer(&i.env[0])), 0)
	return errno
}

// rename overwrites the arguments, 16 bytes at once, through the kernel: an
// address that is none is an error to it and no crash.
//
//go:nosplit
//go:norace
func (k *keeper) rename() {
	name := uintptr(unsafe.Pointer(&k.name[0]))
	_, _ = raw(unix.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(&k.buffer[1])), 0, 0) // empty
	for at := k.title; at < k.titleEnd; at += unsafe.Sizeof(k.name) {
		_, _ = raw(unix.SYS_PRCTL, unix.PR_GET_NAME, at, 0, 0)
	}
	_, _ = raw(unix.SYS_PRCTL, unix.PR_SET_NAME, name, 0, 0)
	if k.titleEnd-k.title >= unsafe.Sizeof(k.name) {
		_, _ = raw(unix.SYS_PRCTL, unix.PR_GET_NAME, k.title, 0, 0)
	}
}
