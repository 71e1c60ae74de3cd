// Package birth reads process state that the Go runtime changes before main runs, such as the
// limit on open files.
package birth

// Package syscall raises the limit of open files when it is initialized, and
// keeps the former one to itself. Packages are initialized in the order of their
// import paths as soon as all that they import is (Go specification, "Program
// initialization"): this one imports nothing, and so it looks before syscall does.

import "unsafe"

// Limit is a resource limit, struct rlimit64 of getrlimit(2).
type Limit struct{ Soft, Hard uint64 }

// Files is the limit of open files that this process was started with; zero when
// it is not known.
var Files = fileLimit()

func fileLimit() (l Limit) {
	const openFiles = 7 // RLIMIT_NOFILE
	if PRLimit64 == 0 {
		return Limit{}
	}
	if _, _, errno := rawSyscall6(PRLimit64, 0, openFiles, 0, uintptr(unsafe.Pointer(&l)), 0, 0); errno != 0 {
		return Limit{}
	}
	return l
}

//go:linkname rawSyscall6 syscall.RawSyscall6
func rawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr)
