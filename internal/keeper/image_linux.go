package keeper

import (
	"strconv"
	"syscall"
	"unsafe"
)

// image holds the arguments of execve(2).
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

// argumentsArea returns the memory area that /proc/self/cmdline shows; see proc_pid_stat(5).
func argumentsArea() (from, to uintptr) {
	const argStart, argEnd = 48, 49 // fields, counted from 1
	line := statLine()
	at := len(line)
	for at > 0 && line[at-1] != ')' { // the name, the second field, may contain blanks
		at--
	}
	field, number := 2, [argEnd + 1]uint64{}
	for start := at; at < len(line) && field <= argEnd; at++ {
		if line[at] != ' ' {
			continue
		}
		number[field], _ = strconv.ParseUint(string(line[start:at]), 10, 64) // 0: unknown format
		field, start = field+1, at+1
	}
	return uintptr(number[argStart]), uintptr(number[argEnd])
}

// statLine does not use package os: its files create a poller, and if no more files can be opened
// (ulimit -n), the Go runtime ends the process because it cannot create one.
func statLine() []byte {
	fd, err := syscall.Open("/proc/self/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	line := make([]byte, 1<<10)
	n, _ := syscall.Read(fd, line) // -1: empty
	_ = syscall.Close(fd)          // only read from
	return line[:max(n, 0)]
}

//go:nosplit
//go:norace
func (k *keeper) exec(i *image) syscall.Errno {
	_, errno := raw(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(i.path)),
		uintptr(unsafe.Pointer(&i.argv[0])), uintptr(unsafe.Pointer(&i.env[0])), 0)
	return errno
}

// rename overwrites the arguments, 16 bytes at a time, through the kernel: an invalid address
// causes an error instead of a crash.
//
//go:nosplit
//go:norace
func (k *keeper) rename() {
	name := uintptr(unsafe.Pointer(&k.name[0]))
	_, _ = raw(syscall.SYS_PRCTL, syscall.PR_SET_NAME, uintptr(unsafe.Pointer(&k.buffer[1])), 0, 0) // empty
	for at := k.title; at < k.titleEnd; at += unsafe.Sizeof(k.name) {
		_, _ = raw(syscall.SYS_PRCTL, syscall.PR_GET_NAME, at, 0, 0)
	}
	_, _ = raw(syscall.SYS_PRCTL, syscall.PR_SET_NAME, name, 0, 0)
	if k.titleEnd-k.title >= unsafe.Sizeof(k.name) {
		_, _ = raw(syscall.SYS_PRCTL, syscall.PR_GET_NAME, k.title, 0, 0)
	}
}
