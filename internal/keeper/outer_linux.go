package keeper

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"unsafe"
)

// End is the end of the inner process.
type End struct {
	status syscall.WaitStatus
	Clean  bool // the keeper reports that no process is left
}

// Run starts the inner process and waits for its end and for the end of everything that it left
// behind. Signals received meanwhile are passed on to it. The error means that it could not be
// started.
func Run() (End, error) {
	signals := make(chan os.Signal, 16)
	o, err := start(signals)
	if err != nil {
		signal.Stop(signals)
		return End{}, err
	}
	go o.forward(signals)
	end, err := o.outlive()
	if err != nil {
		signal.Stop(signals)
	}
	return end, err
}

var uncleanEnd *End

// Early runs the inner process and ends this process in the same way. It returns if it is not
// needed: in the inner process and in a reaper, if the inner process cannot be started, and after
// an end that is not Clean.
func Early() {
	if _, marked := os.LookupEnv(Mark); marked {
		return
	}
	end, err := Run()
	switch {
	case err != nil: // Run, called again, reports it
	case end.Clean:
		os.Exit(end.PassOn())
	default:
		uncleanEnd = &end
	}
}

// Unclean returns the end after which Early returned, or nil.
func Unclean() *End { return uncleanEnd }

// outer is the state of the outer process.
type outer struct {
	keeper  int // process id
	control int // this end of the socket to the keeper
	life    int // the pipe that the inner process reads
}

// start starts the keeper, which starts this binary again.
func start(signals chan os.Signal) (*outer, error) {
	if _, errno := raw(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0); errno != 0 {
		return nil, os.NewSyscallError("prctl", errno)
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		closeAll(pair[:]...)
		return nil, os.NewSyscallError("pipe", err)
	}
	catch(signals) // before the inner process exists: a signal in between would kill this process only
	pid, err := startKeeper(pair[1], pipe)
	closeAll(pair[1], pipe[0]) // the keeper and the inner process have their own
	if err != nil {
		closeAll(pair[0], pipe[1])
		return nil, err
	}
	return &outer{pid, pair[0], pipe[1]}, nil
}

func startKeeper(control int, pipe [2]int) (pid int, err error) {
	inner, err := fileMark(pipe[0], pipe[0])
	if err != nil {
		return 0, err
	}
	reaper, err := fileMark(control, keptControl)
	if err != nil {
		return 0, err
	}
	// Inherited descriptors keep their numbers, so that "/dev/fd/63" still names the same file.
	if _, errno := raw(syscall.SYS_FCNTL, uintptr(pipe[0]), syscall.F_SETFD, 0, 0); errno != 0 {
		return 0, os.NewSyscallError("fcntl", errno)
	}
	k, err := newKeeper(control, pipe[1], inner, ReaperRole+reaper)
	if err != nil {
		return 0, err
	}
	return k.start()
}

// fileMark returns the mark of the file fd, which will have the descriptor as.
func fileMark(fd, as int) (string, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return "", os.NewSyscallError("fstat", err)
	}
	return strconv.Itoa(as) + ":" + strconv.FormatUint(st.Ino, 10), nil
}

func closeAll(fds ...int) {
	for _, fd := range fds {
		_ = syscall.Close(fd) // nothing went through it
	}
}

const self = "/proc/self/exe"

// executable returns the path of this binary: its name if that still leads to it, because ps shows
// that name.
func executable() string {
	path, err := os.Executable()
	a, err1 := os.Stat(path)
	b, err2 := os.Stat(self)
	if err != nil || err1 != nil || err2 != nil || !os.SameFile(a, b) {
		return self
	}
	return path
}

// outlive waits for the end of the inner process and of everything that it left behind.
func (o *outer) outlive() (End, error) {
	status := syscall.WaitStatus(syscall.SIGKILL) // if it ended together with its keeper
	ended := false
	for {
		r, ok := o.read()
		if !ok {
			return End{status, o.waitKeeper() && ended}, nil
		}
		if r.Kind == reportFailed {
			_ = o.waitKeeper() // it is about to end
			return End{}, os.NewSyscallError("start "+executable(), syscall.Errno(r.Value))
		}
		status, ended = syscall.WaitStatus(r.Value), true
	}
}

// read waits for a report of the keeper; ok is false once the keeper has ended.
func (o *outer) read() (r report, ok bool) {
	for {
		n, err := syscall.Read(o.control, (*[unsafe.Sizeof(r)]byte)(unsafe.Pointer(&r))[:])
		if err != syscall.EINTR {
			return r, err == nil && n == int(unsafe.Sizeof(r)) // written in one piece
		}
	}
}

// waitKeeper reports whether the keeper has confirmed that no process is left.
func (o *outer) waitKeeper() (clean bool) {
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(o.keeper, &status, 0, nil); err != syscall.EINTR {
			return err == nil && status.Exited() && status.ExitStatus() == 0
		}
	}
}
