package keeper

import (
	"math"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"ripple/internal/birth"
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

// Name is the keeper's name in lists of processes: whoever ends ripple by
// its name is not to hit it.
const Name = "undertaker"

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

// What package syscall does not know, from Linux's headers; see Package.
const (
	pollIn            = 1   // poll.h
	setMask           = 2   // signal.h: SIG_SETMASK
	setChildSubreaper = 36  // prctl.h: PR_SET_CHILD_SUBREAPER
	sysCloseRange     = 436 // of all architectures
)

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
		all: math.MaxUint64, child: 1 << (syscall.SIGCHLD - 1),
		poll: [2]pollFD{{file: keptControl, events: pollIn}, {file: keptSignals, events: pollIn}},
	}
	temp, err := absolute(os.TempDir()) // the keeper goes elsewhere
	if err != nil {
		return nil, err
	}
	if k.inner, err = newImage(executable(), os.Args, append(os.Environ(), Mark+"="+innerMark)); err != nil {
		return nil, err
	}
	env := []string{Mark + "=" + undertakerMark, "TMPDIR=" + temp}
	if k.undertaker, err = newImage(self, []string{Name}, env); err != nil {
		return nil, err
	}
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now) == nil {
		k.mostFiles = uintptr(min(now.Cur, 1<<20))
		if raised := now.Cur == now.Max-1; raised && birth.Files != (birth.Limit{}) { // as package syscall does
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
	_, _ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&k.all)), uintptr(unsafe.Pointer(&k.mask)), sigsetBytes)
	if pid, errno = raw(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0); pid == 0 && errno == 0 {
		k.keep()
	}
	_, _ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&k.mask)), 0, sigsetBytes)
	return pid, errno
}

// keep is the keeper's life.
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
				k.undertake(inner)
			}
			_, _ = raw(syscall.SYS_KILL, inner, uintptr(syscall.SIGCONT), 0, 0)
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
		_, _ = raw(syscall.SYS_RT_SIGACTION, n, 0, uintptr(unsafe.Pointer(&k.action)), sigsetBytes)
		if k.action[0] != ignored {
			k.defaultAction(n)
		}
	}
}

//go:nosplit
//go:norace
func (k *keeper) defaultAction(n uintptr) {
	k.action = [4]uint64{}
	_, _ = raw(syscall.SYS_RT_SIGACTION, n, uintptr(unsafe.Pointer(&k.action)), 0, sigsetBytes)
}

// become makes the inner process of a copy of the keeper.
//
//go:nosplit
//go:norace
func (k *keeper) become() {
	if k.limit != nil {
		_, _ = raw(birth.PRLimit64, 0, syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(k.limit)), 0)
	}
	_, _ = raw(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&k.mask)), 0, sigsetBytes)
	errno := k.exec(&k.inner)
	k.tell(k.control, reportFailed, uint32(errno))
	k.exit(1)
}

// withdraw leaves the session, the directory, all files and the name.
//
//go:nosplit
//go:norace
func (k *keeper) withdraw() {
	k.defaultAction(uintptr(syscall.SIGCHLD)) // ignored, it would have children reaped unseen
	_, _ = raw(syscall.SYS_SETSID, 0, 0, 0, 0)
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

// reap takes all ended children off the process table. After the end of the inner
// process there is nothing to keep but what it has left: processes, and private
// directories when it was killed.
//
//go:nosplit
//go:norace
func (k *keeper) reap(inner uintptr) {
	_, _ = raw(syscall.SYS_READ, keptSignals, uintptr(unsafe.Pointer(&k.buffer[0])), uintptr(len(k.buffer)), 0)
	over, killed := false, false
	for {
		pid, errno := raw(syscall.SYS_WAIT4, math.MaxUint, uintptr(unsafe.Pointer(&k.status)), syscall.WNOHANG, 0)
		switch {
		case errno == 0 && pid == inner:
			over, killed = true, k.status&0x7f != 0 // wait(2): the signal
			k.tell(keptControl, reportEnded, k.status)
		case errno == 0 && pid != 0:
		case !over:
			return
		case errno == syscall.ECHILD && !killed:
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
