package keeper

import (
	"math"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"example.org/ripple/internal/birth"
)

// The keeper is a copy of the outer process (fork without exec) between it and the inner process,
// which it starts. It is in a session of its own, where it receives no signal for a job or a
// terminal; it handles no signals and holds only its ends of two pipes. All orphans below become
// its children, and it reaps them. When either of the other two processes ends, it becomes the
// reaper.
//
// A copy of one thread of a Go program has no Go runtime: no allocation, no stack growth, no other
// goroutines. Therefore the keeper only makes system calls, and everything it needs is prepared
// before. That keeps it as cheap as a fork: starting the binary once more would double the startup
// time of a command.

// Name is the keeper's process name; it differs from the program's, so that commands that end
// ripple by its name do not hit the keeper.
const Name = "reaper"

// keeper holds everything that the keeper process uses.
type keeper struct {
	control uintptr // the socket to the outer process
	life    uintptr // the pipe end that shows the inner process that the keeper has ended

	inner, reaper   image
	ignoresChildren bool         // the inner process must ignore SIGCHLD
	limit           *birth.Limit // on open files, for the inner process; nil: unchanged
	mostFiles       uintptr      // descriptors are lower than this

	title, titleEnd uintptr // where the kernel finds this process's arguments
	name            [16]byte

	mask, all, child uint64    // sets of signals
	action           [4]uint64 // struct kernel_sigaction
	poll             [2]pollFD
	buffer           [128]byte
	status           uint32
	message          report
}

// pollFD is struct pollfd of ppoll(2).
type pollFD struct {
	file             int32
	events, returned int16
}

// These constants from Linux's headers are missing in package syscall.
const (
	pollIn            = 1   // poll.h
	setMask           = 2   // signal.h: SIG_SETMASK
	setChildSubreaper = 36  // prctl.h: PR_SET_CHILD_SUBREAPER
	sysCloseRange     = 436 // on all architectures
)

// newKeeper prepares the keeper; the environments get marks that name descriptors.
func newKeeper(control, life int, innerMark, reaperMark string) (*keeper, error) {
	k := &keeper{
		control: uintptr(control), life: uintptr(life), mostFiles: 1 << 10,
		all: math.MaxUint64, child: 1 << (syscall.SIGCHLD - 1),
		poll: [2]pollFD{{file: keptControl, events: pollIn}, {file: keptSignals, events: pollIn}},
	}
	temp, err := absolute(os.TempDir()) // the keeper changes its directory
	if err != nil {
		return nil, err
	}
	if k.inner, err = newImage(executable(), os.Args, append(os.Environ(), Mark+"="+innerMark)); err != nil {
		return nil, err
	}
	env := []string{Mark + "=" + reaperMark, "TMPDIR=" + temp}
	if k.reaper, err = newImage(self, []string{Name}, env); err != nil {
		return nil, err
	}
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now) == nil {
		k.mostFiles = uintptr(min(now.Cur, 1<<20))
		if raised := now.Cur == now.Max-1; raised && birth.Files != (birth.Limit{}) { // like package syscall
			k.limit = &birth.Files
		}
	}
	k.title, k.titleEnd = argumentsArea()
	copy(k.name[:], Name)
	return k, nil
}

func absolute(path string) (string, error) {
	if os.IsPathSeparator(path[0]) {
		return path, nil
	}
	dir, err := os.Getwd()
	return dir + string(os.PathSeparator) + path, err
}

// Descriptors of the keeper.
const (
	keptControl = iota
	keptLife
	keptSignals
)

// The number of signals, and the kernel's value of SIG_IGN.
const signals, ignored = 64, 1

// sigsetBytes is the size of the kernel's sigset_t.
const sigsetBytes = 8

// raw makes a system call without the Go runtime.
//
//go:nosplit
//go:norace
func raw(number, a, b, c, d uintptr) (uintptr, syscall.Errno) {
	r, _, errno := syscall.RawSyscall6(number, a, b, c, d, 0, 0)
	return r, errno
}

// start creates the keeper, which creates the inner process, and returns the keeper's id. The copy
// must not receive a signal before it has removed Go's handlers.
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
	_, _ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&k.all)), uintptr(unsafe.Pointer(&k.mask)), sigsetBytes)
	if pid, errno = raw(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0); pid == 0 && errno == 0 {
		k.keep()
	}
	_, _ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&k.mask)), 0, sigsetBytes)
	return pid, errno
}

// keep is the main function of the keeper.
//
//go:nosplit
//go:norace
func (k *keeper) keep() {
	_, _ = raw(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0)
	k.defaultActions()
	inner, errno := raw(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0)
	if inner == 0 && errno == 0 {
		k.become()
	}
	if errno != 0 {
		k.tell(k.control, reportFailed, uint32(errno))
		k.exit(1)
	}
	k.withdraw()
	for {
		k.poll[0].returned, k.poll[1].returned = 0, 0
		_, _ = raw(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&k.poll[0])), uintptr(len(k.poll)), 0, 0)
		if k.poll[1].returned != 0 {
			k.reap(inner)
		}
		if k.poll[0].returned != 0 {
			n, errno := raw(syscall.SYS_READ, keptControl, uintptr(unsafe.Pointer(&k.buffer[0])), uintptr(len(k.buffer)), 0)
			if n == 0 || errno != 0 {
				_, _ = raw(syscall.SYS_KILL, inner, uintptr(syscall.SIGSTOP), 0, 0)
				k.becomeReaper(inner)
			}
			_, _ = raw(syscall.SYS_KILL, inner, uintptr(syscall.SIGCONT), 0, 0)
		}
	}
}

// defaultActions replaces Go's handlers by the default actions; ignored signals stay ignored.
// SIGCHLD must not be ignored while the inner process runs: children would be reaped unseen, and
// setting the default later would discard the end of an inner process that has already ended.
//
//go:nosplit
//go:norace
func (k *keeper) defaultActions() {
	for n := uintptr(1); n <= signals; n++ {
		_, _ = raw(syscall.SYS_RT_SIGACTION, n, 0, uintptr(unsafe.Pointer(&k.action)), sigsetBytes)
		if n == uintptr(syscall.SIGCHLD) {
			k.ignoresChildren = k.action[0] == ignored
			k.setAction(n, 0)
		} else if k.action[0] != ignored {
			k.setAction(n, 0)
		}
	}
}

//go:nosplit
//go:norace
func (k *keeper) setAction(n uintptr, action uint64) {
	k.action = [4]uint64{action}
	_, _ = raw(syscall.SYS_RT_SIGACTION, n, uintptr(unsafe.Pointer(&k.action)), 0, sigsetBytes)
}

// discardSignals ignores all signals except SIGCHLD. A signal that was sent to the whole group
// before the keeper left it is pending until then; it would kill the reaper, whose Go runtime
// unblocks signals when it starts.
//
//go:nosplit
//go:norace
func (k *keeper) discardSignals() {
	for n := uintptr(1); n <= signals; n++ {
		if n != uintptr(syscall.SIGCHLD) {
			k.setAction(n, ignored)
		}
	}
}

// become turns a copy of the keeper into the inner process.
//
//go:nosplit
//go:norace
func (k *keeper) become() {
	if k.limit != nil {
		_, _ = raw(birth.PRLimit64, 0, syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(k.limit)), 0)
	}
	if k.ignoresChildren {
		k.setAction(uintptr(syscall.SIGCHLD), ignored)
	}
	_, _ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&k.mask)), 0, sigsetBytes)
	errno := k.exec(&k.inner)
	k.tell(k.control, reportFailed, uint32(errno))
	k.exit(1)
}

// withdraw leaves the session and the directory, closes all files and changes the name.
//
//go:nosplit
//go:norace
func (k *keeper) withdraw() {
	_, _ = raw(syscall.SYS_SETSID, 0, 0, 0, 0)
	k.discardSignals()
	k.buffer[0], k.buffer[1] = '/', 0
	_, _ = raw(syscall.SYS_CHDIR, uintptr(unsafe.Pointer(&k.buffer[0])), 0, 0, 0)
	_, _ = raw(syscall.SYS_DUP3, k.control, keptControl, 0, 0)
	_, _ = raw(syscall.SYS_DUP3, k.life, keptLife, 0, 0)
	if _, errno := raw(sysCloseRange, keptLife+1, math.MaxUint32, 0, 0); errno != 0 { // before Linux 5.9
		for fd := uintptr(keptLife + 1); fd < k.mostFiles; fd++ {
			_, _ = raw(syscall.SYS_CLOSE, fd, 0, 0, 0)
		}
	}
	_, _ = raw(syscall.SYS_SIGNALFD4, math.MaxUint, uintptr(unsafe.Pointer(&k.child)), sigsetBytes, syscall.O_NONBLOCK|syscall.O_CLOEXEC)
	k.rename()
}
