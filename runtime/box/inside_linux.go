package box

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// order is passed from Run and Enter to Inside.
type order struct {
	Limits Limits
	Mounts []expected
	Socket string   // the proxy's, in the box
	Env    [][]byte // of the program; bubblewrap, outside of the box, would load libraries from where it says
}

// file identifies the sources of the mounts and returns the order as a file for the box.
//
// Errors: ErrPolicy.
func (o order) file() (*os.File, error) {
	if err := identify(o.Mounts); err != nil {
		return nil, err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return memory("order", data)
}

// Descriptors of Inside: on startedFile it reports that the box is set up, and orderFile has its order.
const (
	startedFile = 4
	orderFile   = 5
)

// noCommand is the exit code, as in shells, when a box's command cannot be started.
const noCommand = 127

// Inside is what Run and Wrap start in a box: it forwards connections to the proxy, runs the command
// and returns its exit code. args are the arguments after Command.Inside.
func Inside(args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	var o order
	file := os.NewFile(orderFile, "order")
	if len(args) < 1 || json.NewDecoder(file).Decode(&o) != nil {
		return noCommand, errors.New("this command is internal to boxes")
	}
	file.Close()
	if err := verify(o.Mounts); err != nil {
		return noCommand, err
	}
	o.setEnv()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return noCommand, err
	}
	go carry(l, o.Socket)
	env := with(os.Environ(), variables("http://"+l.Addr().String())...)
	started := os.NewFile(startedFile, "started")
	if _, err := started.Write([]byte{'+'}); err != nil {
		return noCommand, err
	}
	started.Close()
	if err := o.Limits.apply(); err != nil {
		return noCommand, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = stdin, stdout, stderr, env
	return execute(cmd)
}

// setEnv sets the variables of the program in this process. Those of bubblewrap, which is PWD, stay.
func (o *order) setEnv() {
	for _, kv := range slices.Backward(o.Env) { // the last one of a name counts
		name, value, _ := strings.Cut(string(kv), "=")
		if _, set := os.LookupEnv(name); !set {
			_ = os.Setenv(name, value) // one without a name is none
		}
	}
}

// textsOf returns variables in the form for an order: they may not be UTF-8.
func textsOf(environ []string) (list [][]byte) {
	for _, kv := range environ {
		list = append(list, []byte(kv))
	}
	return list
}

// variables returns the environment variables that a box sets.
func variables(proxy string) []string {
	const direct = "localhost,127.0.0.1,::1"
	return []string{
		"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "ALL_PROXY=" + proxy, "NO_PROXY=" + direct,
		"http_proxy=" + proxy, "https_proxy=" + proxy, "all_proxy=" + proxy, "no_proxy=" + direct,
		"NODE_USE_ENV_PROXY=1", "TMPDIR=/tmp", "RIPPLE_IN_BOX=1",
	}
}

// execute runs the command. It passes SIGTERM and SIGHUP on, unless the latter was ignored, as under
// nohup; the signals of a terminal's keys reach the command directly.
func execute(cmd *exec.Cmd) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	if err := cmd.Start(); err != nil {
		return noCommand, err
	}
	go func() {
		for s := range signals {
			if s == syscall.SIGTERM || s == syscall.SIGHUP {
				_ = cmd.Process.Signal(s) // it may have ended
			}
		}
	}()
	err := cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return noCommand, err
	}
	return exitCode(cmd.ProcessState), nil
}

// exitCode returns the exit code of a process, as a shell has it: 128 and the number of the signal
// that ended it.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// apply sets the limits for this process and its children, and disables core dumps.
func (l Limits) apply() error {
	limits := map[int]int64{unix.RLIMIT_DATA: l.Memory, unix.RLIMIT_FSIZE: l.FileSize, unix.RLIMIT_NPROC: l.Processes}
	for resource, n := range limits {
		if n > 0 {
			if err := lower(resource, uint64(n)); err != nil {
				return err
			}
		}
	}
	return lower(unix.RLIMIT_CORE, 0)
}

// lower sets a resource limit, soft and hard.
func lower(resource int, n uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return os.NewSyscallError("getrlimit", err)
	}
	n = min(n, now.Max)
	return os.NewSyscallError("setrlimit", unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}))
}

// carry accepts connections and forwards them to the socket of the proxy outside the box.
func carry(l net.Listener, socket string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			to, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			defer to.Close()
			var both sync.WaitGroup
			both.Go(func() { pour(to, c) })
			both.Go(func() { pour(c, to) })
			both.Wait()
		}()
	}
}

// pour copies one direction of a connection and closes it.
func pour(to, from net.Conn) {
	_, _ = io.Copy(to, from) // until either side closes
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it may be closed already
	}
}
