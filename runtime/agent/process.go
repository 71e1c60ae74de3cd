package agent

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"ripple/runtime/internal/render"
	"ripple/runtime/launch"
	"ripple/runtime/proctree"
	"ripple/runtime/pty"
	"ripple/schema"
)

// process is a started agent and its streams. Everything that is read arrives on
// chunks, which is closed when no more can come.
type process struct {
	pid    int
	chunks chan chunk
	exited <-chan struct{} // the leader is gone; nil once that was taken
	dead   <-chan struct{} // the same, for good
	tree   *proctree.Tree
	status func() (code int, signal string)
	kill   func()
	close  func() // stops reading; chunks ends
}

// start starts the agent over pipes or on a terminal.
func start(g *schema.Agent, plan launch.Plan, stdin string) (*process, error) {
	if carriesTerminal(g) {
		return startPTY(plan)
	}
	return startPipe(plan, stdin)
}

// readSize is what a pipe holds.
const readSize = 64 << 10

func startPipe(plan launch.Plan, stdin string) (*process, error) {
	cmd := exec.Command(plan.Path, plan.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = plan.Env, plan.Dir, ownSession()
	var ours, theirs []*os.File
	shut := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close() // read to its end, or given up
		}
	}
	for _, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			shut(append(ours, theirs...))
			return nil, err
		}
		enlarge(w)
		ours, theirs, *to = append(ours, r), append(theirs, w), w
	}
	input, err := openInput(cmd, stdin)
	if err == nil {
		err = cmd.Start()
	}
	shut(theirs)
	if err != nil {
		shut(ours)
		return nil, err
	}
	go feed(input, stdin)
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its state says all
		close(gone)
	}()
	p := &process{
		pid: cmd.Process.Pid, exited: gone, dead: gone, tree: proctree.New(cmd.Process.Pid, ""),
		status: func() (int, string) { return exitStatus(cmd.ProcessState) },
		kill:   func() { _ = cmd.Process.Kill() }, // it may be gone
		close: func() {
			if input != nil {
				_ = input.Close() // whoever read it is gone
			}
			shut(ours)
		},
	}
	p.read(ours[0], ours[1])
	return p, nil
}

// openInput gives the agent its prompt on standard input or, when it gets none
// there, an input that is at its end: some wait for one that stays open.
func openInput(cmd *exec.Cmd, stdin string) (io.WriteCloser, error) {
	if stdin == "" {
		return nil, nil
	}
	return cmd.StdinPipe()
}

func feed(w io.WriteCloser, text string) {
	if w != nil {
		_, _ = io.WriteString(w, text) // an agent that does not read it says so itself
		_ = w.Close()
	}
}

// read drains all streams at once, so that none fills up.
func (p *process) read(streams ...io.Reader) {
	p.chunks = make(chan chunk)
	var wg sync.WaitGroup
	for i, s := range streams {
		wg.Go(func() {
			for {
				b := make([]byte, readSize)
				n, err := s.Read(b)
				if n > 0 {
					p.chunks <- chunk{data: b[:n], stderr: i == 1}
				}
				if err != nil {
					return
				}
			}
		})
	}
	go func() { wg.Wait(); close(p.chunks) }()
}

// startPTY starts the agent on a terminal without echo; its output arrives as a
// person would see it, without colours.
func startPTY(plan launch.Plan) (*process, error) {
	tty, err := pty.Start(pty.Command{
		Path: plan.Path, Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir,
		Size: pty.Size{Cols: plan.TTY.Cols, Rows: plan.TTY.Rows}, Canonical: true,
	})
	if err != nil {
		return nil, err
	}
	p := &process{
		pid: tty.PID(), exited: tty.Exited(), dead: tty.Exited(), tree: proctree.New(tty.PID(), tty.Name()),
		status: tty.ExitStatus,
		kill:   func() { _ = tty.Signal(syscall.SIGKILL) }, // it may be gone
		close:  func() { _ = tty.Close() },                 // read to its end, or given up
	}
	p.read(newPlain(tty, plan.TTY))
	return p, nil
}

// plain reads what a terminal shows as text.
type plain struct {
	tty  io.Reader
	rend *render.Renderer
	raw  [8 << 10]byte
	out  []byte
	err  error
}

func newPlain(tty io.Reader, size schema.TTY) *plain {
	p := &plain{tty: tty}
	p.rend = render.New(render.Options{Cols: size.Cols, Rows: size.Rows, StripANSI: true}, func(b []byte) { p.out = append(p.out, b...) })
	return p
}

func (p *plain) Read(b []byte) (int, error) {
	for len(p.out) == 0 && p.err == nil {
		var n int
		n, p.err = p.tty.Read(p.raw[:])
		p.rend.Write(p.raw[:n])
		if p.err != nil {
			p.rend.Close()
		}
	}
	if len(p.out) == 0 {
		return 0, p.err
	}
	n := copy(b, p.out)
	p.out = append(p.out[:0], p.out[n:]...)
	return n, nil
}

// exitStatus is an exit code, or -1 and the signal.
func exitStatus(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	if name := signalOf(s); name != "" {
		return -1, name
	}
	return s.ExitCode(), ""
}
