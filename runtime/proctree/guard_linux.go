package proctree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"example.org/ripple/internal/keeper"
	"example.org/ripple/runtime/internal/scratch"
)

// reapLimit is the longest time for killing the processes that a dead process left behind.
const reapLimit = 5 * time.Second

// Guard runs main in a second process of the same binary and returns its exit code. Call it first
// in the program's main function:
//
//	func main() { os.Exit(proctree.Guard(run)) }
//
// Three processes are involved: the outer process, which was started and only waits; the inner
// process, which runs main; and between them the keeper, a copy of the outer process in a session
// of its own. The keeper adopts all orphans and reaps them. When main returns, exits or is killed,
// when the outer process is killed, or both are killed at once (kill -9 of their group), the keeper
// ends all remaining processes and removes the private directories of runtime/internal/scratch; if
// the keeper is killed, the outer process does that. Processes can only be left behind if the
// keeper and one of the others are killed in the same instant.
//
// Standard streams, arguments, environment and working directory of main are those of the outer
// process, including inherited descriptors and limits. The outer and the inner process are in one
// group, so the terminal's signals reach main directly; SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1,
// SIGUSR2, SIGWINCH and SIGCONT sent to the outer process are passed on. Use Notify instead of
// os/signal's: then a signal that reached both processes is delivered once. If a signal kills main
// it kills the outer process too. If the start fails main runs unguarded, with a message on
// standard error.
//
// A program that uses the library calls Guard in the same way; one that must stay a single process
// omits it and relies on Tree.End alone.
func Guard(main func() int) int {
	if IsInner() {
		code := main()
		BlockIfShuttingDown() // main may have ended because the processes are being killed
		return code
	}
	end, err := keeper.Run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: running without a guard: %v; if this process is killed with SIGKILL, processes that it has started keep running%s\n",
			filepath.Base(os.Args[0]), err, unguardedHint())
		return main()
	}
	return finish(end)
}

// unguardedHint returns advice if it recognizes the usual cause.
func unguardedHint() string {
	if _, err := os.Stat("/proc/self"); err != nil {
		return "\n  mount /proc: processes are found there"
	}
	return ""
}

// IsInner reports whether this is the process in which Guard runs its main function: from then on it
// ends the processes that it has started when the others are killed.
var IsInner = sync.OnceValue(func() bool {
	pipe := takeMark()
	if pipe == nil {
		return false
	}
	keeperID.Store(int64(os.Getppid()))
	go readPipe(pipe)
	return true
})

// finish ends the processes that remain after the inner process and returns its exit code.
func finish(end keeper.End) (code int) {
	if !end.Clean {
		if err := killDescendants(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		}
		scratch.Sweep("", 0)
	}
	return end.PassOn()
}

// keeperID is the process id of the keeper, in the inner process.
var keeperID atomic.Int64

// init does the work that keeper.Early cannot do that early, and runs the reaper: the keeper starts
// this binary again under another name for that, and the main function must not run then.
func init() {
	if end := keeper.Unclean(); end != nil {
		os.Exit(finish(*end))
	}
	role, ok := strings.CutPrefix(os.Getenv(keeper.Mark), keeper.ReaperRole)
	if !ok {
		return
	}
	if genuine(role, unix.S_IFSOCK) < 0 {
		return
	}
	err := killDescendants()
	scratch.Sweep("", 0) // directories of the dead processes
	if err != nil {      // errors cannot be reported
		os.Exit(1)
	}
	os.Exit(0)
}

// takeMark removes the mark before main runs and returns the pipe if it is genuine.
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

// genuine returns the descriptor that a mark names, or -1 if there is no such file.
func genuine(value string, kind uint32) int {
	number, inode, _ := strings.Cut(value, ":")
	fd, err := strconv.Atoi(number)
	var st unix.Stat_t
	if err != nil || unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != kind || strconv.FormatUint(st.Ino, 10) != inode {
		return -1
	}
	return fd
}

// dying is closed when the inner process starts to kill.
var dying = make(chan struct{})

// BlockIfShuttingDown never returns once Guard's other processes are gone and this process is killing its
// own. Call it before recording how a program ended: that end may be caused by this.
func BlockIfShuttingDown() {
	select {
	case <-dying:
		select {}
	default:
	}
}

// EndOrphans kills the orphans of the process that Guard runs main in, and what they have started, until none is left or
// ctx ends. Without Guard it does nothing.
func EndOrphans(ctx context.Context) error {
	keeper, self := int(keeperID.Load()), os.Getpid()
	if keeper == 0 {
		return nil
	}
	for {
		t := New(noProcess, "")
		for _, child := range childrenOf(keeper) {
			if p, ok := Find(child); ok && child != self {
				t.known[child] = p
			}
		}
		if len(t.known) == 0 {
			return nil
		}
		if err := t.Kill(ctx); err != nil {
			return err
		}
	}
}

const noProcess = -1 // is not the id of any process

// readPipe reads the inner end of the pipe: each byte is a signal that the outer process
// received. The pipe is closed when the keeper and the outer process have ended.
func readPipe(pipe *os.File) {
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
	_ = killDescendants() // errors cannot be reported
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
}
