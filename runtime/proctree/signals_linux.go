package proctree

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// passed takes a signal that the outer process got. Where nobody takes it by Notify
// it does what it does to any process.
func passed(s syscall.Signal) {
	if !count(s, func(t *tally) { t.passed++ }) {
		_ = unix.Kill(os.Getpid(), s) // a signal that was caught is one
	}
}

// catch catches, rather than ignores, so that the inner process starts with
// the dispositions that we were started with.
func catch(c chan os.Signal) {
	for _, s := range []os.Signal{
		unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGCONT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH,
	} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// forward passes signals on: to the inner process's Notify, or by the keeper to
// wake it.
func (g *guard) forward(signals chan os.Signal) {
	for s := range signals {
		to := g.life
		if s == unix.SIGCONT {
			to = g.control
		}
		_, _ = to.Write([]byte{byte(s.(syscall.Signal))}) // it may have ended
	}
}

// passOn turns the inner process's end into ours.
func passOn(w syscall.WaitStatus) int {
	if w.Signaled() {
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // one core dump is enough
		dieFrom(w.Signal())
		return 128 + int(w.Signal()) // the signal is blocked here
	}
	return w.ExitStatus()
}

// dieFrom ends this thread's process with the signal's default action, which
// the Go runtime's handlers would replace.
func dieFrom(sig syscall.Signal) {
	runtime.LockOSThread()
	var action [4]uint64 // struct kernel_sigaction; all zero is SIG_DFL
	const maskBytes = 8
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, maskBytes, 0, 0)
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
}
