package prefork

import (
	"os"
	"syscall"

	"example.org/ripple/internal/keeper"
)

func init() {
	switch args := os.Args[1:]; {
	case Guarded(args):
		keeper.Early()
	case hosting(args):
		startedHost = startHost() // a failure will be repeated, and reported, without us
	}
}

// startHost starts this program as `ripple console host`, in a session of its own.
func startHost() *Host {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	var in, out [2]int
	if syscall.Pipe2(in[:], syscall.O_CLOEXEC) != nil {
		return nil
	}
	if syscall.Pipe2(out[:], syscall.O_CLOEXEC) != nil {
		closeAll(in[:]...)
		return nil
	}
	defer closeAll(in[0], out[1]) // it has its own
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err == nil {
		defer closeAll(null)
		var pid int
		pid, err = syscall.ForkExec(self, []string{self, "console", "host"}, &syscall.ProcAttr{
			Dir: "/", Env: os.Environ(), Files: []uintptr{uintptr(in[0]), uintptr(out[1]), uintptr(null)},
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
		if err == nil {
			return &Host{pid: pid, In: in[1], Out: out[0]}
		}
	}
	closeAll(in[1], out[0])
	return nil
}

// Wait waits until the host has ended.
func (h *Host) Wait() error {
	for {
		if _, err := syscall.Wait4(h.pid, nil, 0, nil); err != syscall.EINTR {
			return err
		}
	}
}

// Tell sends the host its order, the console that it is to be. It is called once. A host
// ignores an incomplete order.
func (h *Host) Tell(text []byte) {
	h.Told = true
	for len(text) > 0 {
		n, err := syscall.Write(h.In, text)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			break // it has ended, and will be found so
		}
		text = text[n:]
	}
	closeAll(h.In)
}

// Done ends a host that was not taken.
func Done() {
	if h := TakeHost(); h != nil {
		if h.Told {
			_ = syscall.Kill(h.pid, syscall.SIGTERM) // fails when it has ended
		} else {
			closeAll(h.In)
		}
		closeAll(h.Out)
		_ = h.Wait() // however it ends
	}
}

func closeAll(fds ...int) {
	for _, fd := range fds {
		_ = syscall.Close(fd) // nothing is lost with it
	}
}
