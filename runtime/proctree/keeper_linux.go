package proctree

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ripple/runtime/internal/birth"
)

// The keeper is a copy of the outer process (fork without exec) between it and
// the inner one, which it starts. It is in a session of its own, where no signal
// for a job or a terminal comes, takes no signal at all, and holds nothing but
// its ends of two pipes. All orphans below become its children, and it reaps
// them. When either of the other two ends, it becomes the undertaker.
//
// A copy of one thread of a Go program has no Go runtime: no allocation, no
// growing stack, no other goroutine. So the keeper only makes system calls, and
// what it needs is made before. That keeps it as cheap as a fork: to start the
// binary once more would double what a command costs at its start.

// keeperName is the keeper's name in lists of processes: whoever ends ripple by
// its name is not to hit it.
const keeperName = "undertaker"

// keeper is all that the keeper uses.
type keeper struct {
	control uintptr // the socket to the outer process
	life    uintptr // the end of the pipe that tells the inner process of our end

	inner, undertaker image
	limit             *birth.Limit // of open files, for the inner process; nil: as it is
	mostFiles         uintptr      // no descriptor is higher

	title, titleEnd uintptr // where the kernel finds this process's arguments
	name            [16]byte

	mask, all, child uint64    // sets of signals
	action           [4]uint64 // struct kernel_sigaction
	poll             [2]unix.PollFd
	buffer           [128]byte
	status           uint32
	message          report
}

// report is what the keeper tells the outer process.
type report struct{ Kind, Value uint32 }

const (
	reportFailed uint32 = iota + 1 // the inner process could not be started: an errno
	reportEnded                    // it has ended: a wait status
)

// newKeeper prepares everything; the environments get marks that name descriptors.
func newKeeper(control, life int, innerMark, undertakerMark string) (*keeper, error) {
	k := &keeper{
		control: uintptr(control), life: uintptr(life), mostFiles: 1 << 10,
		all: math.MaxUint64, child: 1 << (unix.SIGCHLD - 1),
		poll: [2]unix.PollFd{{Fd: keptControl, Events: unix.POLLIN}, {Fd: keptSignals, Events: unix.POLLIN}},
	}
	temp, err := filepath.Abs(os.TempDir()) // the keeper goes elsewhere
	if err != nil {
		return nil, err
	}
	if k.inner, err = newImage(executable(), os.Args, append(os.Environ(), mark+"="+innerMark)); err != nil {
		return nil, err
	}
	env := []string{mark + "=" + undertakerMark, "TMPDIR=" + temp}
	if k.undertaker, err = newImage(self, []string{keeperName}, env); err != nil {
		return nil, err
	}
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &now) == nil {
		k.mostFiles = uintptr(min(now.Cur, 1<<20))
		if raised := now.Cur == now.Max-1; raised && birth.Files != (birth.Limit{}) { // as package syscall does
			k.limit = &birth.Files
		}
	}
	k.title, k.titleEnd = argumentsArea()
	copy(k.name[:], keeperName)
	return k, nil
}

// Descriptors of the keeper.
const (
	keptControl = iota
	keptLife
	keptSignals
)

// sigsetBytes is the size of the kernel's sigset_t.
const sigsetBytes = 8

// raw is a system call that the Go runtime does not learn of.
//
//go:nosplit
//go:norace
func raw(number, a, b, c, d uintptr) (uintptr, syscall.Errno) {
	r, _, errno := syscall.RawSyscall6(number, a, b, c, d, 0, 0)
	return r, errno
}

// start makes the keeper, which makes the inner process, and returns its id. No
// signal may come to the copy before it has got rid of Go's handlers.
func (k *keeper) start() (pid int, err error) {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id, errno := k.fork()
	runtime.KeepAlive(k)
	if errno != 0 {
		return 0, os.NewSyscallError("fork", errno)
	}
	return int(id), nil
}

//go:nosplit
//go:noinline
//go:norace
func (k *keeper) fork() (pid uintptr, errno syscall.Errno) {
	_, _ = raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&k.all)), uintptr(unsafe.Pointer(&k.mask)), sigsetBytes)
	if pid, errno = raw(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0); pid == 0 && errno == 0 {
		k.keep()
	}
	_, _ = raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&k.mask)), 0, sigsetBytes)
	return pid, errno
}

// keep is the keeper's life.
//
//go:nosplit
//go:norace
func (k *keeper) keep() {
	_, _ = raw(unix.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0)
	k.defaultActions()
	inner, errno := raw(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0)
	if inner == 0 && errno == 0 {
		k.become()
	}
	if errno != 0 {
		k.tell(k.control, reportFailed, uint32(errno))
		k.exit(1)
	}
	k.withdraw()
	for {
		k.poll[0].Revents, k.poll[1].Revents = 0, 0
		_, _ = raw(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&k.poll[0])), uintptr(len(k.poll)), 0, 0)
		if k.poll[1].Revents != 0 {
			k.reap(inner)
		}
		if k.poll[0].Revents != 0 {
			n, errno := raw(unix.SYS_READ, keptControl, uintptr(unsafe.Pointer(&k.buffer[0])), uintptr(len(k.buffer)), 0)
			if n == 0 || errno != 0 {
				_, _ = raw(unix.SYS_KILL, inner, uintptr(unix.SIGSTOP), 0, 0)
				k.undertake(inner)
			}
			_, _ = raw(unix.SYS_KILL, inner, uintptr(unix.SIGCONT), 0, 0)
		}
	}
}

// defaultActions puts the default in the place of Go's handlers; what is ignored
// stays so.
//
//go:nosplit
//go:norace
func (k *keeper) defaultActions() {
	const signals, ignored = 64, 1
	for n := uintptr(1); n <= signals; n++ {
		_, _ = raw(unix.SYS_RT_SIGACTION, n, 0, uintptr(unsafe.Pointer(&k.action)), sigsetBytes)
		if k.action[0] != ignored {
			k.defaultAction(n)
		}
	}
}

//go:nosplit
//go:norace
func (k *keeper) defaultAction(n uintptr) {
	k.action = [4]uint64{}
	_, _ = raw(unix.SYS_RT_SIGACTION, n, uintptr(unsafe.Pointer(&k.action)), 0, sigsetBytes)
}

// become makes the inner process of a copy of the keeper.
//
//go:nosplit
//go:norace
func (k *keeper) become() {
	if k.limit != nil {
		_, _ = raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(k.limit)), 0)
	}
	_, _ = raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&k.mask)), 0, sigsetBytes)
	errno := k.exec(&k.inner)
	k.tell(k.control, reportFailed, uint32(errno))
	k.exit(1)
}

// withdraw leaves the session, the directory, all files and the name.
//
//go:nosplit
//go:norace
func (k *keeper) withdraw() {
	k.defaultAction(uintptr(unix.SIGCHLD)) // ignored, it would have children reaped unseen
	_, _ = raw(unix.SYS_SETSID, 0, 0, 0, 0)
	k.buffer[0], k.buffer[1] = '/', 0
	_, _ = raw(unix.SYS_CHDIR, uintptr(unsafe.Pointer(&k.buffer[0])), 0, 0, 0)
	_, _ = raw(unix.SYS_DUP3, k.control, keptControl, 0, 0)
	_, _ = raw(unix.SYS_DUP3, k.life, keptLife, 0, 0)
	if _, errno := raw(unix.SYS_CLOSE_RANGE, keptLife+1, math.MaxUint32, 0, 0); errno != 0 { // before Linux 5.9
		for fd := uintptr(keptLife + 1); fd < k.mostFiles; fd++ {
			_, _ = raw(unix.SYS_CLOSE, fd, 0, 0, 0)
		}
	}
	_, _ = raw(unix.SYS_SIGNALFD4, math.MaxUint, uintptr(unsafe.Pointer(&k.child)), sigsetBytes, unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)
	k.rename()
}

// reap takes all ended children off the process table. After the end of the inner
// process there is nothing to keep but what it has left.
//
//go:nosplit
//go:norace
func (k *keeper) reap(inner uintptr) {
	_, _ = raw(unix.SYS_READ, keptSignals, uintptr(unsafe.Pointer(&k.buffer[0])), uintptr(len(k.buffer)), 0)
	over := false
	for {
		pid, errno := raw(unix.SYS_WAIT4, math.MaxUint, uintptr(unsafe.Pointer(&k.status)), unix.WNOHANG, 0)
		switch {
		case errno == 0 && pid == inner:
			over = true
			k.tell(keptControl, reportEnded, k.status)
		case errno == 0 && pid != 0:
		case !over:
			return
		case errno == unix.ECHILD:
			k.exit(0)
		default:
			k.undertake(0)
		}
	}
}

// undertake makes the undertaker of the keeper.
//
//go:nosplit
//go:norace
func (k *keeper) undertake(inner uintptr) {
	_ = k.exec(&k.undertaker)
	if inner != 0 { // that is all that can be done without it
		_, _ = raw(unix.SYS_KILL, inner, uintptr(unix.SIGKILL), 0, 0)
	}
	k.exit(1)
}

//go:nosplit
//go:norace
func (k *keeper) tell(to uintptr, kind, value uint32) {
	k.message = report{kind, value}
	_, _ = raw(unix.SYS_WRITE, to, uintptr(unsafe.Pointer(&k.message)), unsafe.Sizeof(k.message), 0)
}

//go:nosplit
//go:norace
func (k *keeper) exit(code uintptr) {
	for {
		_, _ = raw(unix.SYS_EXIT_GROUP, code, 0, 0, 0)
	}
}
