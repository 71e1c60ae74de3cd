package proctree

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ripple/runtime/internal/scratch"
)

// mark is the environment variable that tells a process of ours what it is:
// "descriptor:inode" of the pipe to the outer process makes it the inner one, the
// same of a socket behind "undertaker:" the undertaker. It is removed before main
// runs, and a value without that very file counts for nothing.
const mark = "PROCTREE_GUARD"

const undertakerRole = "undertaker:"

// undertaking bounds the killing of what a dead process of ours left.
const undertaking = 5 * time.Second

// Guard runs main in a second process of the same binary and returns its exit
// code. Call it first thing in the program's main function:
//
//	func main() { os.Exit(proctree.Guard(run)) }
//
// Three processes are at work: the outer one, which was started and only waits,
// the inner one, which runs main, and between them the keeper, a copy of the
// outer one in a session of its own. The keeper adopts all orphans and reaps them.
// When main returns, exits or is killed, when the outer process is killed, or both
// are at once (kill -9 of their group), the keeper ends what is left, the private directories
// of runtime/internal/scratch included; when it is
// killed itself, the outer process does. Only who kills the keeper and one of the
// others in the same instant leaves something.
//
// Standard streams, arguments, environment and working directory are main's as
// they are, inherited descriptors and limits included. The outer and the inner
// process are in one group, so the terminal's signals reach main by themselves;
// SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH and SIGCONT sent to
// the outer process are passed on. Take signals with Notify instead of os/signal's:
// then one that reached both comes once. If a signal kills main it kills the outer
// process too. On a failed start main runs unguarded, with a line on standard error
// that says so.
//
// A program that uses the library takes the same line; one that must stay a
// single process leaves it out and relies on Tree.End alone.
func Guard(main func() int) int {
	if pipe := takeMark(); pipe != nil {
		keeperID.Store(int64(os.Getppid()))
		go heed(pipe)
		code := main()
		HaltIfDying() // main may have ended because we are being killed
		return code
	}
	signals := make(chan os.Signal, 16)
	g, err := startInner(signals)
	if err != nil {
		return unguarded(signals, err, main)
	}
	go g.forward(signals)
	status, err := g.outlive()
	if err != nil {
		return unguarded(signals, err, main)
	}
	return passOn(status)
}

func unguarded(signals chan os.Signal, err error, main func() int) int {
	signal.Stop(signals)
	fmt.Fprintf(os.Stderr, "running without a guard against killed parents: %v\n", err)
	return main()
}

// keeperID is the keeper's, in the inner process.
var keeperID atomic.Int64

// init is where the keeper comes back as the undertaker: it has another program's
// name, and that program's main function is none of its business.
func init() {
	role, ok := strings.CutPrefix(os.Getenv(mark), undertakerRole)
	if !ok {
		return
	}
	if genuine(role, unix.S_IFSOCK) < 0 {
		return
	}
	err := killDescendants()
	scratch.Sweep("", 0) // the dead had some
	if err != nil {      // there is nobody to tell
		os.Exit(1)
	}
	os.Exit(0)
}

// takeMark removes the mark and returns the pipe when it is genuine.
func takeMark() *os.File {
	value, ok := os.LookupEnv(mark)
	if !ok {
		return nil
	}
	_ = os.Unsetenv(mark) // fails for malformed names only
	fd := genuine(value, unix.S_IFIFO)
	if fd < 0 {
		return nil
	}
	unix.CloseOnExec(fd)
	if unix.SetNonblock(fd, true) != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "guard")
}

// genuine is the descriptor that a mark names, -1 when there is no such file.
func genuine(value string, kind uint32) int {
	number, inode, _ := strings.Cut(value, ":")
	fd, err := strconv.Atoi(number)
	var st unix.Stat_t
	if err != nil || unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != kind || strconv.FormatUint(st.Ino, 10) != inode {
		return -1
	}
	return fd
}

// name is how a mark names a file that will be behind descriptor as.
func name(fd, as int) (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return "", os.NewSyscallError("fstat", err)
	}
	return fmt.Sprintf("%d:%d", as, st.Ino), nil
}

// dying is closed when the inner process begins to kill.
var dying = make(chan struct{})

// HaltIfDying never returns once Guard's other processes are gone and our own are
// being killed. Who writes down how a program ended calls it first: that end may
// be our doing.
func HaltIfDying() {
	select {
	case <-dying:
		select {}
	default:
	}
}

// heed is the inner side of the pipe: each byte is a signal that the outer process
// got. The pipe ends with the keeper and the outer process: nobody watches any more.
func heed(pipe *os.File) {
	var b [64]byte
	for {
		n, err := pipe.Read(b[:])
		for _, sig := range b[:n] {
			passed(syscall.Signal(sig))
		}
		if err != nil {
			break
		}
	}
	close(dying)
	_ = killDescendants() // whatever resists, there is nobody to tell
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
}

// guard is the outer process's side.
type guard struct {
	keeper  int      // process id
	control *os.File // the socket to the keeper: its end is ours
	life    *os.File // the pipe that inner reads
}

// startInner starts the keeper, which starts this binary again.
func startInner(signals chan os.Signal) (*guard, error) {
	if err := Subreaper(); err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		closeAll(pair[:])
		return nil, os.NewSyscallError("pipe", err)
	}
	catch(signals)
	pid, err := startKeeper(pair[1], pipe)
	closeAll([]int{pair[1], pipe[0]}) // the keeper and the inner process have their own
	if err != nil {
		closeAll([]int{pair[0], pipe[1]})
		return nil, err
	}
	return &guard{pid, os.NewFile(uintptr(pair[0]), "keeper"), os.NewFile(uintptr(pipe[1]), "inner")}, nil
}

func startKeeper(control int, pipe [2]int) (pid int, err error) {
	inner, err := name(pipe[0], pipe[0])
	if err != nil {
		return 0, err
	}
	undertaker, err := name(control, keptControl)
	if err != nil {
		return 0, err
	}
	// Inherited descriptors keep their numbers: "/dev/fd/63" means the same.
	if _, err := unix.FcntlInt(uintptr(pipe[0]), unix.F_SETFD, 0); err != nil {
		return 0, os.NewSyscallError("fcntl", err)
	}
	k, err := newKeeper(control, pipe[1], inner, undertakerRole+undertaker)
	if err != nil {
		return 0, err
	}
	return k.start()
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd) // nothing went through it
	}
}

const self = "/proc/self/exe"

// executable is this very binary, by its name if that still leads to it: the
// name is what ps shows.
func executable() string {
	path, err := os.Executable()
	a, err1 := os.Stat(path)
	b, err2 := os.Stat(self)
	if err != nil || err1 != nil || err2 != nil || !os.SameFile(a, b) {
		return self
	}
	return path
}

// outlive waits for the end of the inner process and of all that it left. The
// error is that it could not be started.
func (g *guard) outlive() (syscall.WaitStatus, error) {
	status := syscall.WaitStatus(unix.SIGKILL) // of one that ended with its keeper
	ended := false
	for {
		var r report
		if binary.Read(g.control, binary.NativeEndian, &r) != nil {
			break // the keeper has ended
		}
		if r.Kind == reportFailed {
			_ = g.waitKeeper() // it ends now
			return 0, os.NewSyscallError("start "+executable(), syscall.Errno(r.Value))
		}
		status, ended = syscall.WaitStatus(r.Value), true
	}
	if clean := g.waitKeeper(); clean && ended {
		return status, nil
	}
	if err := killDescendants(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	scratch.Sweep("", 0)
	return status, nil
}

// waitKeeper tells whether the keeper knows that nothing is left.
func (g *guard) waitKeeper() (clean bool) {
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(g.keeper, &status, 0, nil); err != unix.EINTR {
			return err == nil && status.Exited() && status.ExitStatus() == 0
		}
	}
}
