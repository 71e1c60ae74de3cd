package proctree

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ripple/internal/keeper"
	"ripple/runtime/internal/scratch"
)

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
	if Inner() {
		code := main()
		HaltIfDying() // main may have ended because we are being killed
		return code
	}
	end, err := keeper.Run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "running without a guard against killed parents: %v\n", err)
		return main()
	}
	return bury(end)
}

// Inner tells the process in which Guard will run its main function: from then on it
// ends what it has started when the others are killed.
var Inner = sync.OnceValue(func() bool {
	pipe := takeMark()
	if pipe == nil {
		return false
	}
	keeperID.Store(int64(os.Getppid()))
	go heed(pipe)
	return true
})

// bury ends what is left after the inner process, and tells how that has ended.
func bury(end keeper.End) (code int) {
	if !end.Clean {
		if err := killDescendants(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		scratch.Sweep("", 0)
	}
	return end.PassOn()
}

// keeperID is the keeper's, in the inner process.
var keeperID atomic.Int64

// init is where keeper.Early leaves what it cannot do so early, and where the keeper
// comes back as the undertaker: it has another program's name, and that program's
// main function is none of its business.
func init() {
	if end := keeper.Unclean(); end != nil {
		os.Exit(bury(*end))
	}
	role, ok := strings.CutPrefix(os.Getenv(keeper.Mark), keeper.UndertakerRole)
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

// takeMark removes the mark before main runs and returns the pipe when it is genuine.
func takeMark() *os.File {
	value, ok := os.LookupEnv(keeper.Mark)
	if !ok {
		return nil
	}
	_ = os.Unsetenv(keeper.Mark) // fails for malformed names only
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
