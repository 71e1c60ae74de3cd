package proctree

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mark is the environment variable that tells the inner process that it is the
// inner one: "descriptor:inode" of the pipe to the outer one. It is removed
// before main runs, and a value without that very pipe counts for nothing.
const mark = "PROCTREE_GUARD"

// undertaking bounds the killing of a dead half's tree.
const undertaking = 5 * time.Second

// Guard runs main in a second process of the same binary and returns its exit
// code. Call it first thing in the program's main function:
//
//	func main() { os.Exit(proctree.Guard(run)) }
//
// Both processes adopt orphans. When main returns, exits or is killed, the
// outer process kills what is left of the tree; when the outer one is killed,
// the inner one kills its descendants and itself. So nothing outlives kill -9
// of either; killing both in the same instant is beyond it.
//
// Standard streams, arguments, environment and working directory are main's as
// they are, inherited descriptors included. Both are in one
// process group, so the terminal's SIGINT, SIGQUIT, SIGTSTP and SIGCONT reach
// main by themselves; SIGTERM, SIGHUP, SIGCONT, SIGUSR1, SIGUSR2 and SIGWINCH
// sent to the outer process are passed on. If a signal kills main it kills the
// outer process too. On a failed start main runs unguarded, with a line on
// standard error that says so.
//
// A program that uses the library takes the same line; one that must stay a
// single process leaves it out and relies on Tree.End alone.
func Guard(main func() int) int {
	if pipe := takeMark(); pipe != nil {
		go undertaker(pipe)
		_ = Subreaper() // it succeeded in the outer process
		code := main()
		HaltIfDying() // main may have ended because the undertaker works
		return code
	}
	signals := make(chan os.Signal, 16)
	inner, keep, err := startInner(signals)
	if err != nil {
		signal.Stop(signals)
		fmt.Fprintf(os.Stderr, "running without a guard against killed parents: %v\n", err)
		return main()
	}
	defer keep.Close()
	go forward(signals, inner)
	return outlive(inner)
}

// takeMark removes the mark and returns the pipe when it is genuine.
func takeMark() *os.File {
	value, ok := os.LookupEnv(mark)
	if !ok {
		return nil
	}
	_ = os.Unsetenv(mark) // fails for malformed names only
	number, inode, _ := strings.Cut(value, ":")
	fd, err := strconv.Atoi(number)
	var st unix.Stat_t
	if err != nil || unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO || strconv.FormatUint(st.Ino, 10) != inode {
		return nil
	}
	unix.CloseOnExec(fd)
	if unix.SetNonblock(fd, true) != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "guard")
}

// dying is closed when the undertaker begins to kill.
var dying = make(chan struct{})

// HaltIfDying never returns once Guard's outer process is gone and our own are
// being killed. Who writes down how a program ended calls it first: that end may
// be our doing.
func HaltIfDying() {
	select {
	case <-dying:
		select {}
	default:
	}
}

// undertaker is the inner side: the pipe ends with the outer process.
func undertaker(pipe *os.File) {
	_, _ = io.Copy(io.Discard, pipe) // end or error: nobody watches any more
	close(dying)
	_ = killDescendants() // whatever resists, there is nobody to tell
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
}

// startInner starts this binary again; keep is the outer end of the pipe.
func startInner(signals chan os.Signal) (inner *os.Process, keep *os.File, err error) {
	if err := Subreaper(); err != nil {
		return nil, nil, err
	}
	watch, keep, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer watch.Close() // the inner process has its own
	catch(signals)
	var name string
	err = control(watch, func(fd int) (err error) { name, err = pass(fd); return err })
	if err == nil {
		// Inherited descriptors keep their numbers: "/dev/fd/63" means the same.
		inner, err = os.StartProcess(executable(), os.Args, &os.ProcAttr{
			Env: append(os.Environ(), mark+"="+name), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		})
	}
	if err != nil {
		_ = keep.Close() // nothing went through it
		return nil, nil, err
	}
	return inner, keep, nil
}

// pass lets a descriptor through exec and names it for the mark.
func pass(fd int) (name string, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "", os.NewSyscallError("fstat", err)
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0)
	return fmt.Sprintf("%d:%d", fd, st.Ino), os.NewSyscallError("fcntl", err)
}

// executable is this very binary, by its name if that still leads to it: the
// name is what ps shows.
func executable() string {
	const self = "/proc/self/exe"
	path, err := os.Executable()
	a, err1 := os.Stat(path)
	b, err2 := os.Stat(self)
	if err != nil || err1 != nil || err2 != nil || !os.SameFile(a, b) {
		return self
	}
	return path
}

// outlive waits for the inner process, ends what it left and ends likewise.
func outlive(inner *os.Process) int {
	state, err := inner.Wait()
	if kerr := killDescendants(); kerr != nil {
		fmt.Fprintln(os.Stderr, kerr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "waiting for the guarded process:", err)
		return 1
	}
	return passOn(state.Sys().(syscall.WaitStatus))
}

func control(f *os.File, use func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if cerr := raw.Control(func(fd uintptr) { err = use(int(fd)) }); cerr != nil {
		return cerr
	}
	return err
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

// forward passes signals on, except those that the terminal sends to both.
func forward(signals chan os.Signal, inner *os.Process) {
	for s := range signals {
		if (s == unix.SIGINT || s == unix.SIGQUIT) && foreground() {
			continue
		}
		_ = inner.Signal(s) // it may have ended
	}
}

// foreground tells whether a terminal has our process group in front, so that
// its keys reach both processes. Whoever sends SIGINT to the outer process
// alone has to send it to the group then.
func foreground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
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
