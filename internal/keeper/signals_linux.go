package keeper

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"
)

// catch catches signals instead of ignoring them, so that the inner process starts with the
// dispositions that this process was started with.
func catch(c chan os.Signal) {
	for _, s := range []os.Signal{
		syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGCONT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// forward passes signals on: to the inner process's Notify, or, for SIGCONT, to the keeper, which
// continues it.
func (o *outer) forward(signals chan os.Signal) {
	for s := range signals {
		to := o.life
		if s == syscall.SIGCONT {
			to = o.control
		}
		_, _ = syscall.Write(to, []byte{byte(s.(syscall.Signal))}) // it may have ended
	}
}

// PassOn returns the exit code with which this process ends like the inner one. If that was ended
// by a signal it does not return: this process ends by the same signal.
func (e End) PassOn() int {
	if e.status.Signaled() {
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // one core dump is enough
		dieFrom(e.status.Signal())
		return 128 + int(e.status.Signal()) // the signal is blocked here
	}
	return e.status.ExitStatus()
}

// dieFrom ends this process with the signal's default action, which the Go runtime's handlers would
// replace.
func dieFrom(sig syscall.Signal) {
	runtime.LockOSThread()
	var action [4]uint64 // struct kernel_sigaction; all zero is SIG_DFL
	_, _ = raw(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, sigsetBytes)
	_, _ = raw(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(syscall.Gettid()), uintptr(sig), 0)
}
