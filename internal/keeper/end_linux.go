package keeper

import (
	"math"
	"syscall"
	"unsafe"
)

// crashed is the wait status of a Go program that panicked, or received SIGQUIT before it handled
// signals: exit code 2.
const crashed = 2 << 8

// report is a message of the keeper to the outer process.
type report struct{ Kind, Value uint32 }

const (
	reportFailed uint32 = iota + 1 // the inner process could not be started: an errno
	reportEnded                    // it has ended: a wait status
)

// reap reaps all ended children. After the end of the inner process it only remains to end the
// rest: processes, and private directories if it was killed or crashed.
//
//go:nosplit
//go:norace
func (k *keeper) reap(inner uintptr) {
	_, _ = raw(syscall.SYS_READ, keptSignals, uintptr(unsafe.Pointer(&k.buffer[0])), uintptr(len(k.buffer)), 0)
	over, died := false, false
	for {
		pid, errno := raw(syscall.SYS_WAIT4, math.MaxUint, uintptr(unsafe.Pointer(&k.status)), syscall.WNOHANG, 0)
		switch {
		case errno == 0 && pid == inner:
			over, died = true, k.status&0x7f != 0 || k.status == crashed // wait(2): the signal
			k.tell(keptControl, reportEnded, k.status)
			parent, _ := raw(syscall.SYS_GETPPID, 0, 0, 0, 0)
			_, _ = raw(syscall.SYS_KILL, parent, uintptr(syscall.SIGCONT), 0, 0) // if it is stopped it could not end
		case errno == 0 && pid != 0:
		case !over:
			return
		case errno == syscall.ECHILD && !died:
			k.exit(0)
		default:
			k.becomeReaper(0)
		}
	}
}

// becomeReaper replaces the keeper by the reaper.
//
//go:nosplit
//go:norace
func (k *keeper) becomeReaper(inner uintptr) {
	_ = k.exec(&k.reaper)
	if inner != 0 { // nothing else can be done without the reaper
		_, _ = raw(syscall.SYS_KILL, inner, uintptr(syscall.SIGKILL), 0, 0)
	}
	k.exit(1)
}

//go:nosplit
//go:norace
func (k *keeper) tell(to uintptr, kind, value uint32) {
	k.message = report{kind, value}
	_, _ = raw(syscall.SYS_WRITE, to, uintptr(unsafe.Pointer(&k.message)), unsafe.Sizeof(k.message), 0)
}

//go:nosplit
//go:norace
func (k *keeper) exit(code uintptr) {
	for {
		_, _ = raw(syscall.SYS_EXIT_GROUP, code, 0, 0, 0)
	}
}
